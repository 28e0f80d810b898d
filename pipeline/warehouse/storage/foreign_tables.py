"""Refuses tables that another version of the contracts made, before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import schemas
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths, in_object_store
from schemas import render
from schemas.table import Table

REMEDY = (
    "another version made this table: use another folder (--warehouse or GROUPSCALE_WAREHOUSE), or "
    "that version"
)
CONSTRAINT = "delta.constraints."


class LoggedTable(NamedTuple):
    """A table, as described by its log: fields and conditions by name."""

    columns: Mapping[str, Mapping[str, Any]]
    partition_by: tuple[str, ...]
    constraints: Mapping[str, str]


def refuse(paths: Paths) -> None:
    """Compare existing tables with their contracts; only reads logs, without Spark.

    A table in an object store is left to Spark: a mismatch makes its first write fail.

    Raises InputError if a table does not match; names the table, what was found and what to do.
    """
    for contract in schemas.TABLES.values():
        place = paths.table(contract.name)
        if in_object_store(place) or not (Path(place) / "_delta_log").is_dir():
            continue
        problems = [*mismatches(contract, _read(contract.name, place))]
        if problems:
            raise InputError(f"table {contract.name}: {'; '.join(problems)}; {REMEDY}")


def mismatches(contract: Table, logged: LoggedTable) -> Iterator[str]:
    """What differs from the contract, comments aside, in words."""
    fields = {field["name"]: field for field in render.struct_json(contract)["fields"]}
    for name, field in fields.items():
        if name not in logged.columns:
            yield f"column {name} is missing"
        elif _kind(logged.columns[name]) != _kind(field):
            yield f"column {name} must be {_kind(field)} (got {_kind(logged.columns[name])})"
    yield from (f"column {name} is unknown" for name in logged.columns if name not in fields)
    if logged.partition_by != contract.partition_by:
        yield f"must be partitioned by {', '.join(contract.partition_by) or 'nothing'}"
    conditions = {name.lower(): text for name, text in render.constraints(contract).items()}
    for name in sorted(conditions.keys() | logged.constraints.keys()):
        if _tokens(conditions.get(name, "")) != _tokens(logged.constraints.get(name, "")):
            yield f"constraint {name} differs"


def _read(table: str, place: str) -> LoggedTable:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        delta = DeltaTable(place)
    except DeltaError as error:
        raise InputError(
            f"table {table}: cannot read its log {place}/_delta_log "
            f"({' '.join(str(error).split())[:200]}); restore it from a backup, or choose another "
            "folder with --warehouse or GROUPSCALE_WAREHOUSE"
        ) from error
    about = delta.metadata()
    return LoggedTable(
        {field["name"]: field for field in json.loads(delta.schema().to_json())["fields"]},
        tuple(about.partition_columns),
        {
            key.removeprefix(CONSTRAINT).lower(): text
            for key, text in about.configuration.items()
            if key.startswith(CONSTRAINT)
        },
    )


def _kind(field: Mapping[str, Any]) -> str:
    """Type of a column, without the nullability of array elements."""
    kind = field["type"]
    if not isinstance(kind, str):
        kind = f"array<{kind['elementType']}>"
    return kind if field["nullable"] else f"{kind} NOT NULL"


def _tokens(text: str) -> str:
    """A condition without white space, since Delta adds some to new conditions."""
    return "".join(text.split())
