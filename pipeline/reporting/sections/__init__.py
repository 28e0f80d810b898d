"""Parts that the reports of all families share: numbers and sections on the run."""
