"""Prometheus as input: asks its HTTP API for the offsets of a group's topics."""
