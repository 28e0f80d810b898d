"""Files of the Delta tables: small ones are merged, and unused ones are deleted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import schemas
from pipeline.spark import session
from pipeline.storage import delta_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths

T = TypeVar("T")

LARGE_FILE_BYTES = 128 * 1024**2


def compact(spark: SparkSession, paths: Paths, condition: str) -> dict[str, int]:
    """Merge the files of the rows that meet a condition; returns how many there were by table."""
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(LARGE_FILE_BYTES))

    return _for_each(spark, paths, lambda place: delta_sql.merge_files(spark, place, condition))


def vacuum(spark: SparkSession, paths: Paths, hours: float) -> None:
    """Delete the files that no version of a table has needed for some hours."""
    with session.for_few_rows(spark):
        _for_each(spark, paths, lambda place: delta_sql.delete_unused_files(spark, place, hours))


def _for_each(spark: SparkSession, paths: Paths, work: Callable[[str], T]) -> dict[str, T]:
    """Results of some work on each table's location; several at a time: most of it is waiting."""
    names = [t for t in schemas.TABLES if delta_sql.exists(spark, paths.table(t))]
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = pool.map(lambda name: work(paths.table(name)), names)
        return dict(zip(names, found, strict=True))
