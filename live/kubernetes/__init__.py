"""A live group on Kubernetes: what its pods run, and its manifests, which are rendered only."""
