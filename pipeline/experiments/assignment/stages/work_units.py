"""Helpers that several stages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.warehouse.spark import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

IDS_PER_TASK = 64_000_000
"""Maximum consumer ids per task, which give a file of some ten to a hundred MB."""


def workloads(ctx: RunContext) -> Workloads:
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
        for e in ctx.config.experiments
    }


def spread(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None) -> int:
    """Number of tasks for work on whole streams.

    A few per core, so that all end together; more where a task would get too large.
    """
    few = 4 * session.cores(spark)
    wanted = max(few, -(-ctx.config.n_ids(units) // IDS_PER_TASK))
    return max(1, min(ctx.config.n_streams(units), wanted))
