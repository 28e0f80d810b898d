"""Stage `simulate_latency`: latency of every assignment sequence (Section VI-C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import kernels, tables
from pipeline.stages.base import by_stream, workloads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.config import Unit
    from pipeline.context import RunContext

SUMMARISED = (
    "stream_id string, experiment string, algorithm string, n_samples long, n_positive long,"
    " mean_consumers double, p50 double, p90 double, p99 double, max double,"
    " histogram array<bigint>"
)


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `latency` of the given units (all of the run where None)."""
    from pyspark.sql import functions as F

    streams, measurements, tasks = by_stream(spark, ctx, units)
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id, units)
    summaries = simulate(measurements, assignments, workloads(ctx), tasks)
    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    rows = summaries.join(F.broadcast(described), "stream_id")
    rows = rows.withColumn("run_id", F.lit(ctx.run_id)).coalesce(1)
    tables.write(spark, rows, "latency", ctx.paths, ctx.run_id, units)


def simulate(
    measurements: DataFrame, assignments: DataFrame, loads: kernels.Workloads, tasks: int
) -> DataFrame:
    """One row per stream and algorithm, from the rates and the assignments of the stream."""
    rates = measurements.select("stream_id", "iteration", "rates")
    held = assignments.select("stream_id", "experiment", "algorithm", "iteration", "consumers")
    left = rates.repartition(tasks, "stream_id").groupBy("stream_id")
    right = held.repartition(tasks, "stream_id").groupBy("stream_id")
    return left.cogroup(right).applyInArrow(kernels.measure_latency(loads), SUMMARISED)
