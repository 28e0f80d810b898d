"""The report of a run on applications."""
