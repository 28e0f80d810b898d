"""What ``SHOW TABLES`` and ``DESCRIBE`` answer: DuckDB's rows with unit and meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import schemas

if TYPE_CHECKING:
    import duckdb

_LIST = re.compile(r"SHOW\s+TABLES", re.IGNORECASE)
_ONE = re.compile(r"(?:DESCRIBE|DESC)\s+(\w+)", re.IGNORECASE)

_NAMED: Mapping[str, schemas.Table | schemas.View] = {**schemas.TABLES, **schemas.VIEWS}


def described(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation | None:
    """The answer to a query for names of tables, or columns of one; None for another query."""
    text = query.strip().removesuffix(";").strip()
    if _LIST.fullmatch(text):
        rows = [(name, each.grain, each.meaning) for name, each in _NAMED.items()]
        about = _relation(connection, ("name", "one row per", "meaning"), rows)
        return connection.sql("SHOW TABLES").join(about, "name").order("name")
    one = _ONE.fullmatch(text)
    contract = _NAMED.get(one[1].lower()) if one else None
    if contract is None:
        return None
    columns = [(each.name, each.unit, _meaning(each)) for each in contract.columns]
    about = _relation(connection, ("column_name", "unit", "meaning"), columns)
    # Names come from the contracts, not from users.
    stored = connection.sql(
        "SELECT column_name, column_type, row_number() OVER () AS place "
        f"FROM (DESCRIBE {contract.name})"
    )
    ordered = stored.join(about, "column_name", how="left").order("place")
    return ordered.project("column_name, column_type, unit, meaning")


def _meaning(column: schemas.Column) -> str:
    null = f" Null: {column.null_means}" if column.null_means else ""
    return f"{column.meaning}{null}"


def _relation(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> duckdb.DuckDBPyRelation:
    import pyarrow as pa

    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return connection.from_arrow(pa.table(columns, names=list(names)))
