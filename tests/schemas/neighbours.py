"""Rows next to legal ones: one or two values changed within the bounds of their columns.

Rows that a check of one row refuses are searched for among them, not written by hand. The search
shows that a check, and each of its parts, can fail; it does not show where. Exact edges, and kinds
of rows that the tiny run lacks, are in `checked`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations, product
from sys import float_info
from typing import Any, NamedTuple

from schemas import Check, Column, Table
from tests.schemas import sqlite_verdicts

Row = dict[str, Any]

STARTS = 6
"""Legal rows that the search starts from, at most."""

_TEXT = re.compile(r"'([^']*)'")
_WHOLE = re.compile(r"(?<![\w.])[0-9]+(?![\w.])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


class Neighbour(NamedTuple):
    """A legal row, and other values for some of its columns."""

    start: Row
    change: Row

    @property
    def row(self) -> Row:
        """The row with the other values."""
        return self.start | self.change


def broken(table: Table, check: Check, rows: Sequence[Row]) -> list[Neighbour]:
    """Neighbours that the check refuses: those with one other value, else those with two."""
    for changed in (1, 2):
        listed = near(table, check, rows, changed)
        judged = sqlite_verdicts.verdicts([check.sql], [item.row for item in listed])
        refused = [item for item, (holds,) in zip(listed, judged, strict=True) if not holds]
        if refused:
            return refused
    return []


def near(table: Table, check: Check, rows: Sequence[Row], changed: int) -> list[Neighbour]:
    """Neighbours with ``changed`` other values in columns that the check reads.

    They have these columns alone, and each value is within the bounds of its column. The order is
    the same on every run.
    """
    columns = [column for column in table.columns if _reads(check, column.name)]
    listed = []
    for start in _distinct(rows, columns):
        values = {column.name: _values(column, start, rows, check) for column in columns}
        for names in combinations(values, changed):
            for chosen in product(*(values[name] for name in names)):
                listed.append(Neighbour(start, dict(zip(names, chosen, strict=True))))
    return listed


def _reads(check: Check, name: str) -> bool:
    return re.search(rf"\b{name}\b", _TEXT.sub("", check.sql)) is not None


def _distinct(rows: Sequence[Row], columns: Sequence[Column]) -> list[Row]:
    """The last rows, which are of the rarest kinds, and the first ones."""
    parts = [{column.name: row[column.name] for column in columns} for row in rows]
    return list({repr(part): part for part in reversed(parts)}.values())[:STARTS]


def _values(column: Column, row: Row, rows: Sequence[Row], check: Check) -> list[Any]:
    """Other legal values of a column."""
    offered = [None, *(other[column.name] for other in rows), *_offered(column, row, check)]
    legal = {repr(value): value for value in offered if is_legal(column, value)}
    return [value for value in legal.values() if value != row[column.name]]


def _offered(column: Column, row: Row, check: Check) -> Iterator[Any]:
    own = row[column.name]
    if column.is_array:
        yield from ([], (own or [])[:-1], (own or []) * 2)
    elif column.type == "string":
        yield from (*column.allowed, *_TEXT.findall(check.sql), "", "other", "{}")
        yield from ("a" * (int(length) + 1) for length in _WHOLE.findall(check.sql))
    elif column.type == "boolean":
        yield from (False, True)
    elif column.type == "timestamp":
        second = timedelta(seconds=1)
        for moment in (value for value in row.values() if isinstance(value, datetime)):
            yield from (moment - second, moment, moment + second)
    else:
        yield from _numbers(column, row, check)


def _numbers(column: Column, row: Row, check: Check) -> Iterator[float]:
    """Bounds, literals of the check, values of the row, and what is next to each."""
    kind = float if column.type == "double" else int
    numbers = [value for value in row.values() if type(value) in (int, float)]
    numbers += [float(literal) for literal in _NUMBER.findall(check.sql)]
    numbers += [bound for bound in (column.minimum, column.maximum) if bound is not None]
    for number in filter(math.isfinite, (0, *numbers)):
        yield from (kind(number), kind(number + 1), kind(number - 1))
    if kind is float:
        yield from (math.inf, *(number + 0.5 for number in filter(math.isfinite, numbers)))


def is_legal(column: Column, value: Any) -> bool:
    """Whether the column by itself allows the value."""
    if value is None:
        return column.nullable
    if column.is_array or column.type not in ("int", "long", "double"):
        return not column.allowed or value in column.allowed
    lowest = -float_info.max if column.minimum is None else column.minimum
    highest = math.inf if column.infinity_allowed else float_info.max
    highest = highest if column.maximum is None else column.maximum
    above = column.exclusive_minimum is None or value > column.exclusive_minimum
    return bool(lowest <= value <= highest and above)
