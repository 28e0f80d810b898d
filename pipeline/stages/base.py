"""What several stages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import tables
from pipeline.kernels import Workload, Workloads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.config import Unit
    from pipeline.context import RunContext


def workloads(ctx: RunContext) -> Workloads:
    """What the kernels must know of each experiment, by name."""
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


def spread(spark: SparkSession, n_streams: int) -> int:
    """Number of tasks for work on whole streams: a few per core, so that all end together."""
    return max(1, min(n_streams, 4 * spark.sparkContext.defaultParallelism))


def by_stream(
    spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None
) -> tuple[DataFrame, DataFrame, int]:
    """Streams and measurements of the units, and the number of tasks to use for them."""
    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    if units is not None:
        streams = streams.where(tables.predicate(ctx.run_id, units))
    measurements = tables.read(spark, "measurements", ctx.paths, ctx.run_id, units)
    return streams, measurements, spread(spark, ctx.config.n_streams(units))
