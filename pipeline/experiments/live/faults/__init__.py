"""Faults of live runs: what happens to a run from outside, and what must be seen afterwards."""
