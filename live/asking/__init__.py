"""The run's side of groups whose leader asks it: decisions, and answers."""
