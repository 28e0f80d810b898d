"""Audit frames: what is checked of tables too large to be queried row by row.

The rows of `measurements` and `assignments` are read once, grouped by stream, and each group
is reduced to counts by a kernel that works on the stored arrays alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline import kernels, tables
from pipeline.stages.base import by_stream, workloads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.context import RunContext

SEQUENCE = "n_rows long, n_distinct_iterations long, first_iteration long, last_iteration long"
MEASUREMENTS = f"stream_id string, {SEQUENCE}, wrong_length long, invalid_rates long"
ASSIGNMENTS = f"stream_id string, algorithm string, {SEQUENCE}, " + ", ".join(
    f"{name} long" for name in kernels.AUDIT_COUNTS
)


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """Return the audit frame of ``measurements`` or ``assignments`` for one run."""
    return {"measurements": _measurements, "assignments": _assignments}[table](spark, ctx)


def _measurements(spark: SparkSession, ctx: RunContext) -> DataFrame:
    from pyspark.sql import functions as F

    streams, measurements, tasks = by_stream(spark, ctx, None)
    widths = F.broadcast(streams.select("stream_id", F.size("partitions").alias("width")))
    rows = measurements.join(widths, "stream_id", "left")
    rows = rows.select("stream_id", "iteration", "rates", "width").repartition(tasks, "stream_id")
    return rows.groupBy("stream_id").applyInArrow(kernels.audit_measurements, MEASUREMENTS)


def _assignments(spark: SparkSession, ctx: RunContext) -> DataFrame:
    _, measurements, tasks = by_stream(spark, ctx, None)
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id)
    left = measurements.select("stream_id", "iteration", "rates")
    left_groups = left.repartition(tasks, "stream_id").groupBy("stream_id")
    right_groups = assignments.repartition(tasks, "stream_id").groupBy("stream_id")
    audited = kernels.audit_assignments(workloads(ctx))
    return left_groups.cogroup(right_groups).applyInArrow(audited, ASSIGNMENTS)
