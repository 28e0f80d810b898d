"""MLflow: the client, dataset inputs and retries."""
