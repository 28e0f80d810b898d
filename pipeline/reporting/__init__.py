"""What is said about runs: sections, drawing, MLflow, regression gate."""
