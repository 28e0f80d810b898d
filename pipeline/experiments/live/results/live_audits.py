"""Audit frames: counts that stand for the rows of tables too large to be checked row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.storage import measurement_audit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """Return the audit frame of ``measurements``, the only large table, for one run."""
    return {"measurements": measurement_audit.frame}[table](spark, ctx.paths, ctx.run_id)
