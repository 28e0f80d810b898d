"""What a run of an application on Pulsar has left, read."""
