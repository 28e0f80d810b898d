"""Views over published runs, for querying the tables from Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import schemas
from pipeline.storage import tables
from schemas.tables.common.runs import IS_PUBLISHED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.paths import Paths


def register(spark: SparkSession, paths: Paths) -> list[str]:
    """Create temporary views over published runs: one per table, and the views that join them.

    Returns the names. Runs that are running, were killed or failed validation are not in them. The
    joining views are those of `schemas.VIEWS`, which `pipeline.storage.sql` has as well.
    """
    for table in schemas.TABLES:
        tables.ensure(spark, paths, table)
        published(spark, paths, table).createOrReplaceTempView(table)
    for view in schemas.VIEWS.values():
        spark.sql(view.sql).createOrReplaceTempView(view.name)
    return [*schemas.TABLES, *schemas.VIEWS]


def published(spark: SparkSession, paths: Paths, table: str) -> DataFrame:
    """Rows of ``table`` that belong to published runs: what analysts read."""
    from pyspark.sql import functions as F

    load = spark.read.format("delta").load
    ids = load(paths.table("runs")).where(IS_PUBLISHED).select("run_id")
    rows = load(paths.table(table))
    # A table that no run has updated since lacks the newest columns.
    later = [c for c in tables.struct(table).fields if c.name not in rows.columns and c.nullable]
    if later:
        rows = rows.withColumns({c.name: F.lit(None).cast(c.dataType) for c in later})
    return rows.join(ids, "run_id", "left_semi")
