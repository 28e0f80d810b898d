"""Steps of the first replicates, which figures draw and MLflow has as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext


def application_steps(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Rows of `application_steps` of the first replicates."""
    return _first(spark, ctx, "application_steps")


def function_steps(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Rows of `function_steps` of the first replicates."""
    return _first(spark, ctx, "function_steps")


def _first(spark: SparkSession, ctx: RunContext, table: str) -> pd.DataFrame:
    rows = tables.read(spark, table, ctx.paths, ctx.run_id)
    return rows.where("replicate = 1").drop("run_id").toPandas()
