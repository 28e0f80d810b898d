"""Tests of the metrics of running brokers."""
