"""Contracts of the tables of learning agents."""
