"""Views over published runs, for querying the tables from Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import schemas
from pipeline.warehouse.storage import tables
from schemas.tables.common.runs import IS_PUBLISHED
from schemas.view_functions import FUNCTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.base.paths import Paths


def register(spark: SparkSession, paths: Paths) -> list[str]:
    """Create temporary views over published runs: one per table, and the views that join them.

    Returns the names. Runs that are running, were killed or failed validation are not in them. The
    joining views are those of `schemas.VIEWS`, which `pipeline.warehouse.storage.sql` has as well.
    """
    tables.ensure(spark, paths, "runs")
    ids = _published_ids(spark, paths)
    for table in schemas.TABLES:
        tables.ensure(spark, paths, table)
        _of_runs(ids, spark, paths, table).createOrReplaceTempView(table)
    for function in FUNCTIONS:
        if function.spark:
            spark.sql(function.in_spark)
    for view in schemas.VIEWS.values():
        spark.sql(view.sql).createOrReplaceTempView(view.name)
    return [*schemas.TABLES, *schemas.VIEWS]


def published(spark: SparkSession, paths: Paths, table: str) -> DataFrame:
    """Rows of ``table`` that belong to published runs: what analysts read."""
    return _of_runs(_published_ids(spark, paths), spark, paths, table)


def _published_ids(spark: SparkSession, paths: Paths) -> DataFrame:
    """The identifiers of published runs, in one column."""
    runs = spark.read.format("delta").load(paths.table("runs"))
    return runs.where(IS_PUBLISHED).select("run_id")


def _of_runs(ids: DataFrame, spark: SparkSession, paths: Paths, table: str) -> DataFrame:
    rows = spark.read.format("delta").load(paths.table(table))
    return rows.join(ids, "run_id", "left_semi")
