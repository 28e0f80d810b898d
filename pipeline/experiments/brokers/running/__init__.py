"""Where and whether brokers are added and removed."""
