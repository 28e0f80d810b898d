"""Kafka brokers of a live run: pinned JARs, a cluster of one or three nodes, its topics."""
