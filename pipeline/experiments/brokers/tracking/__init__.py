"""Runs with brokers that join and leave in MLflow."""
