"""What MLflow shows of a run of the family `assignment`."""
