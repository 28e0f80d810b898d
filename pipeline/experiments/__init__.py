"""The families of experiments, and what they share."""
