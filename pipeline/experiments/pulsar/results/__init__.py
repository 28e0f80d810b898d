"""What the runs of an experiment on Pulsar say together."""
