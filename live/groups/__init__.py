"""Consumer groups that Kafka itself balances: what live strategies are compared with."""
