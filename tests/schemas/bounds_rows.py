"""Values at and just past every bound of a column, and whether the contract takes them.

Worked out from the contract's fields alone, not from what is rendered: the tests of parity
compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from sys import float_info
from typing import Any, NamedTuple

from schemas import TABLES, Column, Table


class Case(NamedTuple):
    """A value of a column."""

    column: str
    value: Any
    legal: bool


def contracts() -> dict[str, Table]:
    """All contracts by name, those of audit frames included."""
    audits = [table.audit for table in TABLES.values() if table.audit is not None]
    return {**TABLES, **{audit.name: audit for audit in audits}}


def cases(table: Table) -> list[Case]:
    """Cases of all columns of a table."""
    return [case for column in table.columns for case in _cases(column, table)]


def _cases(column: Column, table: Table) -> Iterator[Case]:
    yield Case(column.name, None, column.nullable)
    if not column.is_array:
        for value, legal in _values(column):
            yield Case(column.name, value, legal)
    elif table.audit is None:
        # Elements in the arrays of larger tables are counted in the audit frame.
        yield Case(column.name, [None], column.element_nullable)
        for value, legal in _values(column):
            yield Case(column.name, [value], legal)


def _values(column: Column) -> Iterator[tuple[Any, bool]]:
    if column.element_type in ("int", "long"):
        yield from _integers(column)
    elif column.element_type == "double":
        yield from _doubles(column)
    yield from ((text, True) for text in column.allowed)
    if column.allowed:
        yield from ((text, False) for text in ("", "other", column.allowed[0].upper() + " "))


def _integers(column: Column) -> Iterator[tuple[int, bool]]:
    if column.minimum is not None:
        yield int(column.minimum), True
        yield int(column.minimum) - 1, False
    if column.maximum is not None:
        yield int(column.maximum), True
        yield int(column.maximum) + 1, False


def _doubles(column: Column) -> Iterator[tuple[float, bool]]:
    lowest = column.minimum if column.exclusive_minimum is None else column.exclusive_minimum
    if lowest is not None:
        low = float(lowest)
        yield low, column.exclusive_minimum is None
        yield math.nextafter(low, math.inf), True
        yield math.nextafter(low, -math.inf), False
    top = float_info.max if column.maximum is None else float(column.maximum)
    yield top, True
    if column.maximum is not None:
        yield math.nextafter(top, math.inf), False
    yield math.inf, column.infinity_allowed
    yield -math.inf, False
    yield math.nan, False
