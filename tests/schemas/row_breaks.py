"""Ways to break the rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.schemas.tiny import Row

Rows = list[Row]


class Break(NamedTuple):
    """A change to the legal rows of one table (or audit frame)."""

    table: str
    what: str
    change: Callable[[Rows], Rows]
    rules: set[str]


def first(**values: object) -> Callable[[Rows], Rows]:
    """Change values of the first row."""
    return lambda rows: [rows[0] | values, *rows[1:]]


def also(**values: object) -> Callable[[Rows], Rows]:
    """Add a copy of the first row with other values."""
    return lambda rows: [*rows, rows[0] | values]


def without_first(rows: Rows) -> Rows:
    return rows[1:]


def without_last_seed(rows: Rows) -> Rows:
    """Without seed 2 of the first candidate."""
    first = rows[0]["strategy"]
    return [row for row in rows if (row["strategy"], row["number"]) != (first, 2)]


def last(rows: Rows, **values: object) -> Rows:
    """Change values of the last row."""
    return [*rows[:-1], rows[-1] | values]
