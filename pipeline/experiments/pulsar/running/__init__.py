"""Where and whether an application is run on Pulsar."""
