"""Latency of a Kafka cluster against its brokers and load."""
