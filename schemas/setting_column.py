"""Columns that store settings follow from their declarations."""

from __future__ import annotations

from algorithms.core.setting import Declaration
from schemas.column import Column

_TYPES = {int: "int", float: "double", bool: "boolean", str: "string"}
_MOST_INT = 2**31 - 1


def setting_column(item: Declaration) -> Column:
    """The column of a setting, which is never missing: defaults are filled in."""
    is_long = item.kind is int and (item.at_most is None or item.at_most > _MOST_INT)
    # What the column's type cannot hold needs no check.
    most = None if item.kind is int and item.at_most == _MOST_INT else item.at_most
    return Column(
        item.name,
        "long" if is_long else _TYPES[item.kind],
        item.meaning,
        item.unit,
        minimum=item.at_least,
        maximum=most,
        exclusive_minimum=item.above,
        allowed=item.one_of if item.kind is str else (),
    )
