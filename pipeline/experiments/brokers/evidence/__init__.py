"""What a run with brokers that join and leave has left, read."""
