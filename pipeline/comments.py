"""Comments of Delta tables that exist: brought up to date when their contracts have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import schemas
from schemas import render
from schemas.render import sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructField

    from pipeline.paths import Paths


def refresh(spark: SparkSession, paths: Paths, table: str) -> list[str]:
    """Write the comments that differ from the contract's, and return the columns' names.

    The table's own comment goes along with them. Columns that the contract does not have, or
    the table does not, are left alone: they are no matter of comments.
    """
    contract, location = schemas.TABLES[table], paths.table(table)
    found = {field.name: field.metadata.get("comment") for field in _fields(spark, location)}
    wanted = {column.name: render.comment(column) for column in contract.columns}
    stale = [name for name in wanted if name in found and found[name] != wanted[name]]
    if stale:
        path = location.replace("`", "``")
        for name in stale:
            said = f"ALTER COLUMN {sql.quoted(name)} COMMENT {sql.literal(wanted[name])}"
            spark.sql(f"ALTER TABLE delta.`{path}` {said}")
        whole = sql.literal(render.table_comment(contract))
        spark.sql(f"COMMENT ON TABLE delta.`{path}` IS {whole}")
    return stale


def _fields(spark: SparkSession, location: str) -> list[StructField]:
    return spark.read.format("delta").load(location).schema.fields
