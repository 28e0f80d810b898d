"""Starts the services of `tools.topology` as processes of this machine, and stops them again."""
