"""Tests of Pulsar Functions that a loop scales."""
