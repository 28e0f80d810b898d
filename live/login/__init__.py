"""TLS and logins of Kafka clients, from a client properties file."""
