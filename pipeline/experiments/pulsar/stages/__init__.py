"""Stages of the family `pulsar`."""
