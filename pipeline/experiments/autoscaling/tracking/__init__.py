"""Content that MLflow shows for a run of the family `autoscaling`."""
