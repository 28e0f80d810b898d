"""Summary of a recorded trace, in parts that programs read as JSON."""
