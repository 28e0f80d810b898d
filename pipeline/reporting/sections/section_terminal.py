"""Sections as a terminal prints them: the page's tables, with part of their rows and columns."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table as Printed
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.reporting.sections.page_tables import Cell
from pipeline.reporting.sections.section import Section, Table, Written


def shown(written: Written) -> Group:
    """The answer, and what a terminal prints of each experiment."""
    answer = written.answer
    parts: list[RenderableType] = [Text(""), *map(Text, answer.answer), *_dim(answer.notes)]
    for one in written.experiments:
        parts += [Text(""), Rule(Text(one.name, "bold"), align="left", style="dim")]
        parts += _dim([one.words])
        for section in one.sections:
            own = [words for words in section.answer if words not in answer.answer]
            parts += _section(section._replace(answer=own))
    return Group(*parts)


def _section(section: Section) -> list[RenderableType]:
    """Nothing without a table that a terminal prints."""
    tables = [table for table in section.tables if any(field.terminal for field in table.fields)]
    if not tables:
        return []
    title = [Text(section.title)] if section.title else []
    grids = [part for t in tables if not t.folded for part in (*_table(t), Text(""))]
    notes = [*(table.folded for table in tables if table.folded), *section.notes]
    return [*title, *map(Text, section.answer), *grids[:-1], *_dim(notes)]


def _dim(paragraphs: Iterable[str]) -> list[RenderableType]:
    return [Text(words, "dim") for words in paragraphs]


def _table(table: Table) -> list[RenderableType]:
    fields = [field for field in table.fields if field.head and field.terminal]
    printed: Printed = plain_table()
    printed.add_column(table.first, overflow="fold")
    for field in fields:
        printed.add_column(field.head, justify="right", no_wrap=True)
    for row in table.rows:
        if not row.detail:
            cells = (field.write(row.values) for field in fields)
            printed.add_row(Text(row.name), *map(_cell, cells))
    return [Text(table.title), printed] if table.title else [printed]


def _cell(cell: Cell) -> Text:
    """A value, and its further lines below it."""
    value = Text(cell.text, "bold" if cell.bold else "")
    return Text("\n").join([value, *(Text(line, "dim") for line in cell.below)])
