"""Applications of Pulsar Functions on a real Pulsar: what policies and executors do there."""
