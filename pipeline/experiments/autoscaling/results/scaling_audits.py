"""Audit frames: counts that stand for the rows of tables too large to be checked row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.storage import measurement_audit, tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """Return the audit frame of ``measurements`` or ``trajectories`` for one run."""
    frames = {"measurements": _measurements, "trajectories": _trajectories}
    return frames[table](spark, ctx)


def _measurements(spark: SparkSession, ctx: RunContext) -> DataFrame:
    return measurement_audit.frame(spark, ctx.paths, ctx.run_id)


def _trajectories(spark: SparkSession, ctx: RunContext) -> DataFrame:
    from pyspark.sql import functions as F

    rows = tables.read(spark, "trajectories", ctx.paths, ctx.run_id)
    return rows.groupBy("stream_id", "strategy", "setting").agg(
        F.count("*").alias("n_rows"),
        F.countDistinct("iteration").alias("n_distinct_iterations"),
        F.min("iteration").cast("long").alias("first_iteration"),
        F.max("iteration").cast("long").alias("last_iteration"),
        F.count_if(F.col("late") > F.col("served") * (1 + 1e-9) + 1e-6).alias("late_beyond_served"),
    )
