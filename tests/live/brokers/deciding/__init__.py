"""Tests of brokers that join and leave."""
