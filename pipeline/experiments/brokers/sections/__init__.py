"""Sections on brokers that join and leave."""
