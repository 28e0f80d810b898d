"""What MLflow stores of a run on a broker."""
