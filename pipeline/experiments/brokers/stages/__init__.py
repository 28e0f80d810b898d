"""Stages of the family `brokers`."""
