"""Legal rows from contracts: the plainest value of each column that a test does not give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from schemas import Column, Table
from tests.schemas.bounds_rows import contracts

Row = dict[str, Any]

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_OTHERS = {"string": "", "boolean": False, "timestamp": BEGIN}


def filled(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Rows by table or audit frame, with a value for every column of the contract."""
    return {
        name: [_filled(table, row) for row in rows[name]]
        for name, table in contracts().items()
        if name in rows
    }


def _filled(table: Table, row: Row) -> Row:
    names = [column.name for column in table.columns]
    unknown = row.keys() - {*names, "run_id", "experiment"}
    assert not unknown, f"{table.name} has no columns {unknown}"
    return {
        column.name: row[column.name] if column.name in row else plain(column)
        for column in table.columns
    }


def plain(column: Column) -> Any:
    """None, an empty value, or the least legal number from 0."""
    if column.nullable:
        return None
    if column.is_array:
        return []
    if column.allowed:
        return column.allowed[0]
    if column.type in _OTHERS:
        return _OTHERS[column.type]
    above = column.exclusive_minimum
    least = column.minimum or 0 if above is None else above + 1
    legal = least if column.maximum is None else min(least, column.maximum)
    return float(legal) if column.type == "double" else int(legal)
