"""Scores of an assignment: consumers, Rscore and latency of every iteration."""
