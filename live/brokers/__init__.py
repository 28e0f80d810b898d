"""Brokers that join a cluster of our own and leave it while records flow."""
