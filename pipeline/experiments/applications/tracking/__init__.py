"""What MLflow stores of applications."""
