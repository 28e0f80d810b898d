"""The report of a run on a broker."""
