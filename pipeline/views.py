"""Views over published runs for people who query the tables from Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import schemas
from pipeline import runs, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths


def register(spark: SparkSession, paths: Paths) -> list[str]:
    """Create one temporary view per table, named like it, over published runs only.

    Returns the names. A run that is under way, died or failed validation is not in them.
    """
    for table in schemas.TABLES:
        tables.ensure(spark, paths, table)
        runs.published(spark, paths, table).createOrReplaceTempView(table)
    return list(schemas.TABLES)
