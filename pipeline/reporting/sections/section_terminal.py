"""Sections as a terminal prints them: the page's tables, with part of their rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table as Printed
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.section import Cell, Field, Section, Table, Written

NAME = 20
"""Letters of a name that stay on one line while columns have room; longer ones are folded."""


def shown(written: Written, width: int) -> Group:
    """The answer, and what a terminal prints of each experiment."""
    answer = written.answer
    parts: list[RenderableType] = [Text(""), *map(Text, answer.answer), *_dim(answer.notes)]
    for one in written.experiments:
        parts += [Text(""), Rule(Text(one.name, "bold"), align="left", style="dim")]
        parts += _dim([one.words])
        for section in one.sections:
            own = [words for words in section.answer if words not in answer.answer]
            parts += _section(section._replace(answer=own), width)
    return Group(*parts, *published_section.for_terminal(written.published, width))


def ending(written: Written) -> list[str]:
    """A run's result in two sentences: what was found, and how much of it was published before."""
    found = [*(written.answer.result or written.answer.answer)]
    reproduced = published_section.reproduced(written.published)
    return [*found[:1], reproduced] if reproduced else found[:2]


def _section(section: Section, width: int) -> list[RenderableType]:
    """Nothing without a table that a terminal prints."""
    tables = [table for table in section.tables if any(field.terminal for field in table.fields)]
    if not tables:
        return []
    title = [Text(section.title)] if section.title else []
    open_tables = [table for table in tables if not table.folded]
    printed = [part for table in open_tables for part in _tables(table, width)]
    grids: list[RenderableType] = [part for one in printed for part in (one, Text(""))]
    if len(open_tables) > 1 and all(table.compact for table in open_tables):
        grids = [Columns(printed, (1, 5), equal=True), Text("")]
    notes = [*(table.folded for table in tables if table.folded), *section.notes]
    return [*title, *map(Text, section.answer), *grids[:-1], *_dim(notes)]


def _dim(paragraphs: Iterable[str]) -> list[RenderableType]:
    return [Text(words, "dim") for words in paragraphs]


def _tables(table: Table, width: int) -> Iterator[Group]:
    """The table, or several, one below the other, so that no number is cut off."""
    fields = [field for field in table.fields if field.head and field.terminal]
    rows = [row for row in table.rows if not row.detail]
    cells = {f.key: [_cell(f.write(row.values), table.compact) for row in rows] for f in fields}
    longest = max(len(name) for name in (table.first, *(row.shown for row in rows)))
    room = width - min(longest, NAME)
    while fields:
        count = len(fields) if table.stacked else _fitting(fields, cells, room)
        printed = _empty(table, fields[:count])
        for place, row in enumerate(rows):
            printed.add_row(Text(row.shown), *(cells[f.key][place] for f in fields[:count]))
        yield Group(*([Text(table.title)] if table.title else []), printed)
        fields = fields[count:]


def _fitting(fields: Sequence[Field], cells: Mapping[str, Sequence[Text]], room: int) -> int:
    """How many of the columns fit; at least one."""
    used = 0
    for count, field in enumerate(fields):
        lines = "\n".join([field.head, *(cell.plain for cell in cells[field.key])]).splitlines()
        used += max(map(len, lines)) + 2
        if count and used > room:
            return count
    return len(fields)


def _empty(table: Table, fields: Iterable[Field]) -> Printed:
    printed: Printed = plain_table()
    printed.add_column(table.first, overflow="fold")
    for field in fields:
        if table.stacked:
            printed.add_column(field.head, overflow="fold")
        else:
            printed.add_column(field.head, justify="right", no_wrap=True)
    return printed


def _cell(cell: Cell, compact: bool) -> Text:
    """A value, and its further lines below it."""
    value = Text(cell.text, "bold" if cell.bold else "")
    below = () if compact else cell.below
    return Text("\n").join([value, *(Text(line, "dim") for line in below)])
