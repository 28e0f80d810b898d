"""Autoscaling of consumer groups: the strategies and their registry."""

from algorithms.autoscaling import strategies as registry
from algorithms.autoscaling.strategy import Group, Seen, Strategy

__all__ = ["Group", "Seen", "Strategy", "registry"]
