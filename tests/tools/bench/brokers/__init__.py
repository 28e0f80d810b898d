"""Tests of the measurement of latency against brokers and load."""
