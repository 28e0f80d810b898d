"""Contracts of the family `autoscaling`."""
