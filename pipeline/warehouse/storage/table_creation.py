"""Creates a Delta table from its contract: schema, constraints, partitioning and comments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import schemas
from pipeline.base.paths import in_object_store
from pipeline.warehouse.storage import delta_sql
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CHECKS_CONSTRAINTS = "3"
"""Version of Delta's protocol for writers that check constraints."""


def create(spark: SparkSession, place: str, contract: schemas.Table) -> None:
    """Create a table in one commit unless it exists; only object stores need (slow) Spark."""
    if in_object_store(place):
        spark.sql(render.ddl(contract, delta_sql.name(place))).collect()
    else:
        create_on_disk(place, contract)


def create_on_disk(place: str, contract: schemas.Table) -> None:
    """Create a table on a disk, unless it exists, in one commit."""
    from deltalake import DeltaTable, Schema
    from deltalake.exceptions import CommitFailedError

    constraints = render.constraints(contract)
    settings = {f"delta.constraints.{name}": text for name, text in constraints.items()}
    if settings:
        settings["delta.minWriterVersion"] = _CHECKS_CONSTRAINTS
    try:
        DeltaTable.create(
            place,
            Schema.from_json(json.dumps(render.struct_json(contract))),
            mode="ignore",
            partition_by=list(contract.partition_by),
            description=render.table_comment(contract),
            configuration=settings,
            raise_if_key_not_exists=False,
        )
    except CommitFailedError:
        # Another process has created it meanwhile.
        if not DeltaTable.is_deltatable(place):
            raise
