"""Updates tables that another version of the contracts created, or refuses them.

The rule, table by table:

- A nullable column that the table lacks is added: old rows hold null, with the meaning in the
  contract's ``null_means``. A table that lacks a NOT NULL column is refused.
- A constraint that the table lacks, or has with another condition, is set after all rows are
  checked; if a row breaks it, the table is refused, with the constraint's name. A constraint that
  the contract no longer has is dropped.
- A column that is NOT NULL in the table, but nullable in the contract, becomes nullable.
- A column that the contract does not have stays, if it is nullable: new rows hold null there.
- Partition columns that the contract does not have stay.
- Anything else is refused: another type, a missing partition column, a column that is now NOT NULL.

`plan` only reads logs, without Spark, so that a run is refused at once and before anything is
written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import schemas
from pipeline.errors import InputError
from pipeline.paths import Paths, in_object_store
from pipeline.process import file_lock
from pipeline.storage import delta_sql, tables
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from schemas import Table

REMEDY = (
    "this table cannot be migrated: use another folder (--warehouse or GROUPSCALE_WAREHOUSE), "
    "or the version that wrote it"
)
CONSTRAINT = "delta.constraints."


class Found(NamedTuple):
    """A table, as described by its log."""

    columns: Mapping[str, Mapping[str, Any]]
    partition_by: tuple[str, ...]
    constraints: Mapping[str, str]


class Change(NamedTuple):
    """A change to a table.

    Attributes
    ----------
    statement
        SQL, with ``{table}`` for the table.
    condition
        Condition that all rows must meet first, if any, and its name.
    """

    table: str
    statement: str
    condition: str = ""
    name: str = ""


def plan(paths: Paths) -> list[Change]:
    """Changes that existing tables need; writes nothing.

    Raises
    ------
    InputError
        If the rule refuses a table; names the table, what was found and what to do.
    """
    found = ((table, _read(paths, table)) for table in schemas.TABLES)
    return [
        change
        for table, state in found
        if state is not None
        for change in changes(schemas.TABLES[table], state)
    ]


def up_to_date(spark: SparkSession, paths: Paths) -> set[str]:
    """Create missing tables and change old ones, one process at a time; return the new tables.

    Raises
    ------
    InputError
        As `plan`, or if rows of an old table break a new constraint.
    """
    with _alone(paths):
        planned = plan(paths)
        for change in planned:
            _check(spark, paths, change)
        for change in planned:
            spark.sql(change.statement.format(table=delta_sql.name(paths.table(change.table))))
        return tables.ensure_all(spark, paths)


def changes(contract: Table, found: Found) -> list[Change]:
    """Changes to one table under the rule.

    Raises
    ------
    InputError
        If the rule refuses it.
    """
    problems = [*_problems(contract, found)]
    if problems:
        raise InputError(f"table {contract.name}: {'; '.join(problems)}; {REMEDY}")
    return [*_columns(contract, found), *_constraints(contract, found)]


def _problems(contract: Table, found: Found) -> Iterator[str]:
    wanted = _fields(contract)
    for name, field in wanted.items():
        there = found.columns.get(name)
        if there is None:
            if not field["nullable"]:
                yield f"required column {name} is missing"
        elif _kind(there) != _kind(field):
            yield f"column {name} must be {_kind(field)} (got {_kind(there)})"
        elif there["nullable"] and not field["nullable"]:
            yield f"column {name} must be NOT NULL"
    for name, there in found.columns.items():
        if name not in wanted and not there["nullable"]:
            yield f"column {name} is NOT NULL but not in the contract"
    apart = [name for name in contract.partition_by if name not in found.partition_by]
    if apart:
        yield f"must be partitioned by {', '.join(apart)}"


def _columns(contract: Table, found: Found) -> Iterator[Change]:
    for column in contract.columns:
        there = found.columns.get(column.name)
        if there is None:
            definition = _plain(render.definition(column))
            yield Change(contract.name, f"ALTER TABLE {{table}} ADD COLUMNS ({definition})")
        elif column.nullable and not there["nullable"]:
            statement = f"ALTER TABLE {{table}} ALTER COLUMN `{column.name}` DROP NOT NULL"
            yield Change(contract.name, statement)


def _constraints(contract: Table, found: Found) -> Iterator[Change]:
    wanted = {name.lower(): text for name, text in render.constraints(contract).items()}
    kept = {
        name
        for name, text in found.constraints.items()
        if _tokens(text) == _tokens(wanted.get(name, ""))
    }
    for name in found.constraints:
        if name not in kept:
            yield Change(contract.name, f"ALTER TABLE {{table}} DROP CONSTRAINT `{name}`")
    for name, text in wanted.items():
        if name not in kept:
            statement = f"ALTER TABLE {{table}} ADD CONSTRAINT `{name}` CHECK ({_plain(text)})"
            yield Change(contract.name, statement, condition=text, name=name)


def _check(spark: SparkSession, paths: Paths, change: Change) -> None:
    """Refuse a constraint that rows of the table break."""
    from pyspark.sql import functions as F

    if not change.condition:
        return
    rows = spark.read.format("delta").load(paths.table(change.table))
    new = [c.name for c in schemas.TABLES[change.table].columns if c.name not in rows.columns]
    rows = rows.withColumns({name: F.lit(None) for name in new}) if new else rows
    broken = rows.where(f"NOT coalesce(({change.condition}), false)")
    found = broken.select("run_id").take(1)
    if found:
        raise InputError(
            f"table {change.table}: rows of run {found[0]['run_id']} break the constraint "
            f"{change.name} ({change.condition}); {REMEDY}"
        )


def _read(paths: Paths, table: str) -> Found | None:
    """A table's state from its log; None if there is no table, or it cannot be read here.

    A table in an object store is left to Spark: a mismatch makes its first write fail.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    place = paths.table(table)
    if in_object_store(place) or not (Path(place) / "_delta_log").is_dir():
        return None
    try:
        delta = DeltaTable(place)
    except DeltaError as error:
        raise InputError(
            f"table {table}: cannot read its log {place}/_delta_log "
            f"({' '.join(str(error).split())[:200]}); restore it from a backup, or choose another "
            "folder with --warehouse or GROUPSCALE_WAREHOUSE"
        ) from error
    fields = json.loads(delta.schema().to_json())["fields"]
    about = delta.metadata()
    return Found(
        {field["name"]: field for field in fields},
        tuple(about.partition_columns),
        {
            key.removeprefix(CONSTRAINT).lower(): text
            for key, text in about.configuration.items()
            if key.startswith(CONSTRAINT)
        },
    )


def _fields(contract: Table) -> dict[str, dict[str, Any]]:
    return {field["name"]: field for field in render.struct_json(contract)["fields"]}


def _kind(field: Mapping[str, Any]) -> str:
    """Type of a column, without the nullability of array elements."""
    kind = field["type"]
    if isinstance(kind, str):
        return kind
    return f"array<{kind['elementType']}>" if kind["type"] == "array" else str(kind["type"])


def _tokens(text: str) -> str:
    """A condition without white space, since Delta adds some to new conditions."""
    return "".join(text.split())


def _plain(text: str) -> str:
    """SQL escaped for `str.format`."""
    return text.replace("{", "{{").replace("}", "}}")


@contextmanager
def _alone(paths: Paths) -> Iterator[None]:
    """Prevent two processes from creating or changing the same tables at the same time."""
    paths.tables_lock.parent.mkdir(parents=True, exist_ok=True)
    with file_lock.locked(paths.tables_lock):
        yield
