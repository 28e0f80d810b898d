"""Contracts of the tables of brokers that join and leave."""
