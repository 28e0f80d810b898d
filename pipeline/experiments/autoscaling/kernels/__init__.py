"""Functions of the family `autoscaling` that run in Spark's Python workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate, policy_argument
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.bounds import clairvoyant_front
from algorithms.simulation import simulate
from algorithms.workloads import poisson_counts


class SimulationPlan(NamedTuple):
    """What a kernel needs of an experiment."""

    workload: str
    """Name of the workload."""
    candidates: tuple[Candidate, ...]
    """Strategies with their parameters."""
    group: Mapping[str, Any]
    """Settings of the group."""
    profile: Mapping[str, Any]
    """Arguments of `pipeline.experiments.autoscaling.kernels.workload_kernel.rates_of`."""
    recorded: int
    """Replicates whose steps and actions are recorded."""
    parts: int = 1
    """Parts that each step of a stream is cut into."""


Plans = Mapping[str, SimulationPlan]
"""Plans by experiment."""


def load() -> None:
    """Load or compile all kernels, but not those of strategies with a trained policy."""
    rates = poisson_counts.draw(np.full((2, 2), 4.0), 1.0, 0)
    for strategy in dict.fromkeys((*COMPARED, *registry.names())):
        if policy_argument(strategy) is None:
            simulate(rates, strategy)
    clairvoyant_front.bound_front(rates)
