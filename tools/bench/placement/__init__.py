"""How many replicas three rules move when brokers are added and removed again and again."""
