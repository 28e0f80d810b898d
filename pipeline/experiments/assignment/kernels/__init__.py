"""Functions that run in Spark's Python workers: they map Arrow batches with compiled kernels.

Each factory takes plain values and returns the function for ``mapInArrow`` or
``applyInArrow``; nothing of the session is sent to the workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from algorithms.assignment import registry
from algorithms.scores import assignment_scores, latency_model, sweep
from algorithms.workloads import random_walk


class Workload(NamedTuple):
    """The settings of an experiment that a kernel needs."""

    algorithms: tuple[str, ...]
    capacity: float
    consumer_capacity: float
    iteration_seconds: float
    rebalance_seconds: float
    clip: bool


Workloads = Mapping[str, Workload]


BEYOND = ("BFD+M+P", "MWF+M+P", "SR_1")
"""Algorithms that need kernels of their own, besides those of the registry's list."""


def load() -> None:
    """Load the machine code of all kernels; compile those that are not in the cache yet."""
    rates = random_walk.generate(
        partitions=2, iterations=2, delta=5.0, capacity=1.0, initial_rate=None, seed=0, clip=True
    )
    for name in (*registry.names(), *BEYOND):
        consumers = sweep.run(name, rates, 1.0, 0).consumers
    assignment_scores.audit(rates, consumers, 1.0)
    latency_model.summarise(rates, consumers, 1.33, 30.0, 5.0)
