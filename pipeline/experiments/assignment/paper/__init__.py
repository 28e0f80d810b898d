"""Verdicts on the figures that the paper publishes."""
