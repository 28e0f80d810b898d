"""What simulators say of a run on a broker, and whether it agrees."""
