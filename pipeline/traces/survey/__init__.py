"""What a recorded trace holds, in parts that programs read as JSON."""
