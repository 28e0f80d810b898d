"""Tables of a page, as rows of words."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """One value; the lines ``below`` appear in small type under it."""

    text: str
    below: tuple[str, ...] = ()
    bold: bool = False


class Grid(NamedTuple):
    """Heading, column heads, and rows of a name and cells; ``first`` heads the names."""

    title: str
    head: list[str]
    rows: list[tuple[str, list[Cell]]]
    first: str = "Algorithm"
    folded: str = ""


class Fold(NamedTuple):
    """Tables of one experiment that readers unfold."""

    title: str
    tables: list[Grid]
    opened: bool
