"""Views over published runs for people who query the tables from Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import schemas
from pipeline.runs import record
from pipeline.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths


def register(spark: SparkSession, paths: Paths) -> list[str]:
    """Create temporary views over published runs: one named like each table, and those that join.

    Returns the names. A run that is under way, died or failed validation is not in them. The
    queries of the latter are those of `schemas.VIEWS`, which `pipeline.storage.sql` has as well.
    """
    for table in schemas.TABLES:
        tables.ensure(spark, paths, table)
        record.published(spark, paths, table).createOrReplaceTempView(table)
    for view in schemas.VIEWS.values():
        spark.sql(view.sql).createOrReplaceTempView(view.name)
    return [*schemas.TABLES, *schemas.VIEWS]
