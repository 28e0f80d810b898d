"""Helpers that several stages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.warehouse.spark import session

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.stage import Work

IDS_PER_TASK = 64_000_000
"""Maximum consumer ids per task, which give a file of some ten to a hundred MB."""


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


def spread(work: Work) -> int:
    """Number of tasks for work on whole streams.

    A few per core, so that all end together; more where a task would get too large.
    """
    few = 4 * session.cores(work.spark)
    wanted = max(few, -(-work.config.n_ids(work.units) // IDS_PER_TASK))
    return max(1, min(work.config.n_streams(work.units), wanted))
