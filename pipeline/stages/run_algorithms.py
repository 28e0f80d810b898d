"""Stage `run_algorithms`: every algorithm of an experiment over each of its streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import kernels, tables
from pipeline.stages.base import by_stream, workloads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.config import Unit
    from pipeline.context import RunContext

ASSIGNED = (
    "stream_id string, experiment string, delta double, iteration int, algorithm string,"
    " n_consumers int, n_migrations int, rscore double, min_consumers int, consumers array<int>"
)


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `assignments` of the given units (all of the run where None)."""
    from pyspark.sql import functions as F

    streams, measurements, tasks = by_stream(spark, ctx, units)
    assigned = assign(streams, measurements, workloads(ctx), tasks)
    assigned = assigned.withColumn("run_id", F.lit(ctx.run_id))
    tables.write(spark, assigned, "assignments", ctx.paths, ctx.run_id, units)


def assign(
    streams: DataFrame, measurements: DataFrame, loads: kernels.Workloads, tasks: int
) -> DataFrame:
    """Rows of `assignments` (without ``run_id``): a fold over each stream's iterations.

    A stream is one group, because an assignment depends on the one before; all algorithms
    of a stream run in one group, because CBS compares them iteration by iteration.
    """
    from pyspark.sql import functions as F

    seeds = F.broadcast(streams.select("stream_id", "seed"))
    columns = ("stream_id", "experiment", "delta", "iteration", "rates")
    rows = measurements.select(*columns).join(seeds, "stream_id").repartition(tasks, "stream_id")
    return rows.groupBy("stream_id").applyInArrow(kernels.assign(loads), ASSIGNED)
