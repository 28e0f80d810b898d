"""Pulsar Functions that a loop scales: a Pulsar of the run's own, the loop and what it measures."""
