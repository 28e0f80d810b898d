"""Files of the Delta tables: small ones are merged, and unused ones are deleted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import schemas
from pipeline.spark import session

if TYPE_CHECKING:
    from delta.tables import DeltaTable
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths

T = TypeVar("T")

LARGE_FILE_BYTES = 128 * 1024**2


def compact(spark: SparkSession, paths: Paths, condition: str) -> dict[str, int]:
    """Merge the files of the rows that meet a condition; returns how many there were by table."""
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(LARGE_FILE_BYTES))

    def merge(table: DeltaTable) -> int:
        done = table.optimize().where(condition).executeCompaction()
        return int(done.select("metrics.*").collect()[0]["numFilesRemoved"])

    return _for_each(spark, paths, merge)


def vacuum(spark: SparkSession, paths: Paths, hours: float) -> None:
    """Delete the files that no version of a table has needed for some hours."""
    with session.for_few_rows(spark):
        _for_each(spark, paths, lambda table: table.vacuum(hours))


def _for_each(spark: SparkSession, paths: Paths, work: Callable[[DeltaTable], T]) -> dict[str, T]:
    """Results of some work on each table; several at a time, since most of it is waiting."""
    from delta.tables import DeltaTable

    names = [t for t in schemas.TABLES if DeltaTable.isDeltaTable(spark, paths.table(t))]
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = pool.map(lambda name: work(DeltaTable.forPath(spark, paths.table(name))), names)
        return dict(zip(names, found, strict=True))
