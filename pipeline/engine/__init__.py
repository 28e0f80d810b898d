"""Runs the stages of a run, logs it late where MLflow was away, and maintains its tables."""
