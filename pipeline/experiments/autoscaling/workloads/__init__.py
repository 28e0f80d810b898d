"""Recorded and generated workloads of groups."""
