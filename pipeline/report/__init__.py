"""Parts that the reports of all families share: numbers, drawing and sections on the run."""
