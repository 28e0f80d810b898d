"""Appends a row to a table that users write to, such as `baselines`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pyarrow as pa

import schemas
from pipeline.base.paths import Paths, in_object_store
from pipeline.warehouse.storage import table_creation

_TYPES = {str: pa.string(), datetime: pa.timestamp("us", "UTC")}


def append(paths: Paths, table: str, row: Mapping[str, str | datetime]) -> None:
    """Append a row, without Spark on a local disk."""
    from deltalake import write_deltalake

    place = paths.table(table)
    if in_object_store(place):
        _append_by_spark(paths, table, row)
        return
    table_creation.create_on_disk(place, schemas.TABLES[table])
    write_deltalake(place, arrow(row), mode="append")


def arrow(row: Mapping[str, str | datetime]) -> pa.Table:
    """A row as a table whose columns are never null."""
    fields = [pa.field(name, _TYPES[type(value)], nullable=False) for name, value in row.items()]
    return pa.Table.from_pylist([dict(row)], schema=pa.schema(fields))


def _append_by_spark(paths: Paths, table: str, row: Mapping[str, str | datetime]) -> None:
    from pipeline.warehouse.spark import session
    from pipeline.warehouse.storage import tables

    spark = session.get(brief=True)
    tables.ensure(spark, paths, table)
    rows = tables.of_rows(spark, [row], table)
    rows.write.format("delta").mode("append").save(paths.table(table))
