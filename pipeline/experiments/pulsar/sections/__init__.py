"""Sections on Pulsar Functions."""
