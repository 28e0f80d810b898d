"""Shadow groups: rules and planners for the number of replicas, run on the observed past."""
