"""What several stages hand to their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels import Workload, Workloads

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig


def workloads(config: RunConfig) -> Workloads:
    """The settings that the kernels need of each experiment, by name."""
    return {
        e.name: Workload(
            algorithms=tuple(e.algorithms),
            capacity=e.capacity,
            consumer_capacity=e.consumer_capacity,
            iteration_seconds=e.iteration_seconds,
            rebalance_seconds=e.rebalance_seconds,
            clip=e.clip,
        )
        for e in config.experiments
    }
