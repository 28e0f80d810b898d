"""Reads what stages and results of a run declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.runs.stage import Frame, Input, Made
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def read(
    spark: SparkSession, ctx: RunContext, item: Input, units: Sequence[Unit] | None = None
) -> Any:
    """An input of a stage; of a `Frame` the rows of the units (all of the run where None)."""
    if isinstance(item, Made):
        return load(item.function)(spark, ctx)
    if isinstance(item, Frame):
        return tables.read(spark, item.table, ctx.paths, ctx.run_id, units).drop("run_id")
    # Without Spark where possible, which takes a second or two less.
    source = reader.of(ctx.paths)
    return reader.pandas_frame(source, item.table, ctx.run_id, item.without, item.columns)


def streams(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Rows of `streams` with the number of their partitions instead of the names."""
    rows = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    counted = rows.selectExpr("*", "size(partitions) AS n_partitions")
    return counted.drop("run_id", "partitions").toPandas()
