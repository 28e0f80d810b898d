"""Audit frames: counts that stand for the rows of tables too large to be checked row by row.

The rows of `measurements` and `assignments` are read once and reduced to counts per stream (and
algorithm), from the stored arrays alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.assignment.kernels.audit_kernel import AUDITS, NUMBERS, audit_assignments
from pipeline.assignment.stages import stream_blocks
from pipeline.assignment.stages.work_units import mapped, workloads
from pipeline.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.runs.context import RunContext


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """Return the audit frame of ``measurements`` or ``assignments`` for one run."""
    return {"measurements": _measurements, "assignments": _assignments}[table](spark, ctx)


def _measurements(spark: SparkSession, ctx: RunContext) -> DataFrame:
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    widths = F.broadcast(streams.select("stream_id", F.size("partitions").alias("width")))
    rows = tables.read(spark, "measurements", ctx.paths, ctx.run_id)
    # A NaN is above all other numbers.
    invalid = F.expr("size(filter(rates, r -> r < 0 OR r >= double('infinity')))")
    return (
        rows.join(widths, "stream_id", "left")
        .groupBy("stream_id")
        .agg(
            F.count("*").alias("n_rows"),
            F.countDistinct("iteration").alias("n_distinct_iterations"),
            F.min("iteration").cast("long").alias("first_iteration"),
            F.max("iteration").cast("long").alias("last_iteration"),
            F.count_if(~F.size("rates").eqNullSafe(F.col("width"))).alias("wrong_length"),
            F.sum(invalid).alias("invalid_rates"),
        )
    )


def _assignments(spark: SparkSession, ctx: RunContext) -> DataFrame:
    pairs = stream_blocks.of_assignments(spark, ctx, numbers=NUMBERS)
    return mapped(pairs, audit_assignments(workloads(ctx)), AUDITS)
