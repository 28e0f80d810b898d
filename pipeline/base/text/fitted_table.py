"""Tables that fit the width of a terminal: names stay whole, columns drop out by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pipeline.base.text.plain_table import plain_table

if TYPE_CHECKING:
    from rich.table import Table

_GAP = 2
"""Blanks between two columns."""

_LEAST_NAME = 20


class Column(NamedTuple):
    """A column."""

    head: str
    """Its head; may have several lines."""
    rank: int
    """Columns with higher ranks drop out first."""
    is_text: bool = False
    """Whether it is aligned to the left."""


class Fitted(NamedTuple):
    """A table, and the heads of the columns that it has no room for."""

    table: Table
    dropped: tuple[str, ...]


def fitted(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[str, Sequence[str]]],
    width: int | None,
) -> Fitted:
    """Return a table of named rows.

    columns: The other columns, in order.
    rows: Name and cells of each row.
    width: Most characters of a line; None for no limit.
    """
    from rich.cells import cell_len
    from rich.text import Text

    widths = [
        max(map(cell_len, [*column.head.split("\n"), *(cells[i] for _, cells in rows)]))
        for i, column in enumerate(columns)
    ]
    name = max(map(cell_len, [*title.split("\n"), *(label for label, _ in rows)]))
    kept = _kept(columns, widths, None if width is None else width - min(name, width))
    table = plain_table()
    table.add_column(title, overflow="fold", min_width=min(name, _LEAST_NAME))
    for i in kept:
        is_text = columns[i].is_text
        table.add_column(columns[i].head, justify="left" if is_text else "right", no_wrap=True)
    for label, cells in rows:
        table.add_row(Text(label), *(Text(cells[i]) for i in kept))
    gone = [" ".join(column.head.split()) for i, column in enumerate(columns) if i not in kept]
    return Fitted(table, tuple(gone))


def _kept(columns: Sequence[Column], widths: Sequence[int], room: int | None) -> list[int]:
    """Columns that fit, in order; those of lowest rank are taken first."""
    if room is None:
        return list(range(len(columns)))
    kept: list[int] = []
    for i in sorted(range(len(columns)), key=lambda i: columns[i].rank):
        if sum(widths[j] + _GAP for j in (*kept, i)) > room:
            break
        kept.append(i)
    return sorted(kept)


def dropped_line(dropped: Sequence[str]) -> str:
    """Which columns have no room, and how to see them; empty without any."""
    names = ", ".join(dict.fromkeys(dropped))
    return names and f"Not shown for lack of width: {names}. --json has all figures."
