"""Stage `simulate_latency`: latency of every assignment sequence (Section VI-C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import tables
from pipeline.kernels.measure import measure_latency
from pipeline.stages import blocks
from pipeline.stages.base import workloads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    pairs = blocks.of_assignments(spark, ctx, units)
    summaries = pairs.mapInArrow(measure_latency(workloads(ctx)), SUMMARISED)
    rows = summaries.join(F.broadcast(described), "stream_id")
    rows = rows.withColumn("run_id", F.lit(ctx.run_id)).coalesce(1)
    tables.write(spark, rows, "latency", ctx.paths, ctx.run_id, units)
