"""The family `autoscaling`: consumer groups that a strategy scales, simulated."""
