"""Updates comments of existing Delta tables when their contracts have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import schemas
from pipeline.paths import in_object_store
from pipeline.storage import delta_sql
from schemas import render
from schemas.render import conditions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.paths import Paths


def refresh(spark: SparkSession, paths: Paths, table: str) -> int:
    """Write the comments that differ from the contract's; return how many there were.

    Existing comments are read from the Delta log, without Spark, in a few milliseconds. Tables in
    an object store keep the comments that they were created with.
    """
    from deltalake import DeltaTable

    place = paths.table(table)
    if in_object_store(place):
        return 0
    found = DeltaTable(place)
    columns = {field.name: field.metadata.get("comment", "") for field in found.schema().fields}
    stale = [*statements(schemas.TABLES[table], found.metadata().description or "", columns)]
    for before, after in stale:
        spark.sql(f"{before} {delta_sql.name(place)} {after}")
    return len(stale)


def statements(
    contract: schemas.Table, whole: str, columns: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """SQL before and after the table's name, for each comment that differs.

    Parameters
    ----------
    whole
        The table's own comment.
    columns
        Comments of its columns. Columns that only the table or only the contract has are skipped.
    """
    wanted = render.table_comment(contract)
    if whole != wanted:
        yield "COMMENT ON TABLE", f"IS {conditions.literal(wanted)}"
    for column in contract.columns:
        said = render.comment(column)
        if columns.get(column.name, said) != said:
            place = f"ALTER COLUMN {conditions.quoted(column.name)}"
            yield "ALTER TABLE", f"{place} COMMENT {conditions.literal(said)}"
