"""What MLflow stores of learning agents."""
