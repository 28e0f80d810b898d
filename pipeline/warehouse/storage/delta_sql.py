"""Commands on Delta tables as SQL, which a Spark Connect server takes as well.

Delta's Python class needs a plugin on such a server. Locations and conditions come from the
configuration and from `pipeline.warehouse.storage.tables`, which quotes ids. Where tables are on a
disk, what only concerns their logs is done without Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pipeline.base.paths import in_object_store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def name(place: str) -> str:
    """A table's name in SQL, from its location."""
    return f"delta.`{place.replace('`', '``')}`"


def exists(spark: SparkSession, place: str) -> bool:
    """Whether there is a Delta table; only an object store needs Spark to look."""
    if not in_object_store(place):
        from deltalake import DeltaTable

        return DeltaTable.is_deltatable(place)
    from pyspark.errors import AnalysisException

    try:
        detail(spark, place)
    except AnalysisException as error:
        if error.getCondition() in _MISSING:
            return False
        raise
    return True


_MISSING = {
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
    "DELTA_TABLE_NOT_FOUND",
    "PATH_NOT_FOUND",
    "TABLE_OR_VIEW_NOT_FOUND",
}


def detail(spark: SparkSession, place: str) -> Any:
    """The row of ``DESCRIBE DETAIL``."""
    return spark.sql(f"DESCRIBE DETAIL {name(place)}").collect()[0]


def version(spark: SparkSession, place: str) -> int:
    """Number of the latest commit."""
    return int(spark.sql(f"DESCRIBE HISTORY {name(place)} LIMIT 1").collect()[0]["version"])


def delete(spark: SparkSession, place: str, condition: str) -> None:
    """Delete the rows that meet a condition on the columns by which the table is partitioned.

    Only an object store needs Spark, which takes half a second per table.
    """
    if in_object_store(place):
        spark.sql(f"DELETE FROM {name(place)} WHERE {condition}").collect()
        return
    from deltalake import DeltaTable

    DeltaTable(place).delete(condition)


def update(spark: SparkSession, place: str, values: Mapping[str, str], condition: str) -> None:
    """Set columns to SQL expressions in the rows that meet a condition."""
    changes = ", ".join(f"`{column}` = {value}" for column, value in values.items())
    spark.sql(f"UPDATE {name(place)} SET {changes} WHERE {condition}").collect()


def merge_files(spark: SparkSession, place: str, condition: str) -> int:
    """Merge small files of the rows that meet a condition; returns how many there were."""
    done = spark.sql(f"OPTIMIZE {name(place)} WHERE {condition}")
    return int(done.select("metrics.numFilesRemoved").collect()[0][0])


def delete_unused_files(spark: SparkSession, place: str, hours: float) -> None:
    """Delete the files that no version of the table has needed for some hours."""
    spark.sql(f"VACUUM {name(place)} RETAIN {hours} HOURS").collect()
