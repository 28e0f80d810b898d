"""Stage `simulate_latency`: latency of every assignment sequence (Section VI-C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.latency_kernel import LATENCIES, measure_latency
from pipeline.experiments.assignment.kernels.row_blocks import OF_STREAMS
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.experiments.assignment.stages.work_units import workloads
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `latency` of the given units (all of the run where None)."""
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    described = streams.select("stream_id", *OF_STREAMS)
    pairs = stream_blocks.of_assignments(spark, ctx, units)
    summaries = mapped(pairs, measure_latency(workloads(ctx)), LATENCIES)
    rows = summaries.join(F.broadcast(described), "stream_id")
    # `coalesce` would have one task do all of the work.
    rows = rows.withColumn("run_id", F.lit(ctx.run_id)).repartition(1)
    tables.write(spark, rows, "latency", ctx.paths, ctx.run_id, units)
