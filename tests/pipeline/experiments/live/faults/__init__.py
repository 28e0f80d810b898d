"""Faults of live runs, without brokers."""
