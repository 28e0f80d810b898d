"""Contracts of the tables of runs of Pulsar Functions."""
