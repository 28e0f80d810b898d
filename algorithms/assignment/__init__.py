"""Assignment of partitions to consumers: the algorithms and their registry."""

from algorithms.assignment.algorithm import Algorithm, Decision, Observation

__all__ = ["Algorithm", "Decision", "Observation"]
