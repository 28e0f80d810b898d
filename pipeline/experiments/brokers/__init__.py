"""The family `brokers`: brokers that join a cluster and leave it while records flow."""
