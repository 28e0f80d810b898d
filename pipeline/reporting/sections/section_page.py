"""Sections as a page shows them; the macro ``sections`` of ``page_parts.html.j2`` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipeline.reporting.drawing.figure import Figure, Omitted
from pipeline.reporting.sections.page_tables import Grid
from pipeline.reporting.sections.section import Experiment, Section, Table


class PageSection(NamedTuple):
    """A section, drawn and written."""

    title: str
    paragraphs: list[str]
    figures: list[Figure]
    omitted: list[Omitted]
    grids: list[Grid]


class PageExperiment(NamedTuple):
    """An experiment, drawn and written."""

    name: str
    words: str
    sections: list[PageSection]


def drawn(experiments: Iterable[Experiment], figures: Iterator[int]) -> list[PageExperiment]:
    """Experiments whose figures have the next numbers of the page."""
    return [
        PageExperiment(one.name, one.words, [_drawn(part, figures) for part in one.sections])
        for one in experiments
    ]


def _drawn(section: Section, numbers: Iterator[int]) -> PageSection:
    outcomes = [chart(next(numbers)) for chart in section.charts]
    return PageSection(
        section.title,
        [*section.answer, *section.notes],
        [figure for figure in outcomes if isinstance(figure, Figure)],
        [figure for figure in outcomes if isinstance(figure, Omitted)],
        [grid(table) for table in section.tables],
    )


def grid(table: Table) -> Grid:
    """A table with all its rows and columns, as words."""
    fields = [field for field in table.fields if field.head]
    return Grid(
        table.title,
        [field.head for field in fields],
        [(row.name, [field.write(row.values) for field in fields]) for row in table.rows],
        table.first,
        table.folded,
    )
