"""Files of the Delta tables: small ones are merged, and unused ones are deleted.

Spark needs a second per table, and most tables belong to other families or have nothing to do: only
tables whose files, as they are found here, leave something to do are given to it. In an object
store only Spark looks.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import schemas
from pipeline.base.paths import in_object_store
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import delta_sql, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.base.paths import Paths

T = TypeVar("T")

LARGE_FILE_BYTES = 128 * 1024**2


def compact(spark: SparkSession, paths: Paths, run_id: str) -> dict[str, int]:
    """Merge the files of a run in each slice; returns how many there were by table."""
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(LARGE_FILE_BYTES))
    condition = tables.predicate(run_id)
    return _for_each(
        spark,
        paths,
        lambda place: has_split_slices(place, run_id),
        lambda place: delta_sql.merge_files(spark, place, condition),
    )


def vacuum(spark: SparkSession, paths: Paths, hours: float) -> None:
    """Delete the files that no version of a table has needed for some hours."""
    with session.for_few_rows(spark):
        _for_each(
            spark,
            paths,
            lambda place: has_unused_files(place, hours),
            lambda place: delta_sql.delete_unused_files(spark, place, hours),
        )


def _for_each(
    spark: SparkSession, paths: Paths, asks: Callable[[str], bool], work: Callable[[str], T]
) -> dict[str, T]:
    """Results of work on each table's location that asks for it, several at a time: most waits."""
    existing = [t for t in schemas.TABLES if delta_sql.exists(spark, paths.table(t))]
    names = [t for t in existing if in_object_store(paths.table(t)) or asks(paths.table(t))]
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = pool.map(lambda name: work(paths.table(name)), names)
        return dict(zip(names, results, strict=True))


def has_split_slices(place: str, run_id: str) -> bool:
    """Whether a slice of the run has several files."""
    from deltalake import DeltaTable

    files = DeltaTable(place).file_uris(file_pruning_predicate=[("run_id", "=", run_id)])
    return len({Path(file).parent for file in files}) < len(files)


def has_unused_files(place: str, hours: float) -> bool:
    """Whether there are files that no version has needed for some hours."""
    from deltalake import DeltaTable

    table = DeltaTable(place)
    return bool(table.vacuum(int(hours), enforce_retention_duration=False, full=True))
