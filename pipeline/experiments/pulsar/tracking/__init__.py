"""Runs on Pulsar in MLflow."""
