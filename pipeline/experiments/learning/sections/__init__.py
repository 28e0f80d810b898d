"""The report of a run with learning agents."""
