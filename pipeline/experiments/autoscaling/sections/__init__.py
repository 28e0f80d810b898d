"""Report of a run of the family `autoscaling`."""
