"""Brokers as Gymnasium environments."""
