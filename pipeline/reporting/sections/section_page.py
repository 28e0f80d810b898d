"""Sections as a page shows them; the macro ``sections`` of ``page_parts.html.j2`` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections.section import Chart, Experiment, Section, Table


class PageSection(NamedTuple):
    """A section, drawn."""

    title: str
    paragraphs: list[str]
    figures: list[Figure]
    tables: Sequence[Table]


class PageExperiment(NamedTuple):
    """An experiment, drawn."""

    name: str
    words: str
    sections: list[PageSection]


def drawn(experiments: Iterable[Experiment], figures: list[Figure]) -> list[PageExperiment]:
    """Experiments with their figures, which are added to those that the page already has."""
    return [
        PageExperiment(one.name, one.words, [_drawn(part, figures) for part in one.sections])
        for one in experiments
    ]


def take_first(experiments: Iterable[PageExperiment]) -> list[Figure]:
    """Take the first figure out of its section, for a place below the page's answer."""
    for one in experiments:
        for section in one.sections:
            if section.figures:
                return [section.figures.pop(0)]
    return []


def _drawn(section: Section, figures: list[Figure]) -> PageSection:
    return PageSection(
        section.title,
        [*section.answer, *section.notes],
        list(_numbered(section.charts, figures)),
        section.tables,
    )


def _numbered(charts: Iterable[Chart], figures: list[Figure]) -> Iterator[Figure]:
    """Figures with the next numbers of the page; those without data are left out."""
    for chart in charts:
        outcome = chart(len(figures) + 1)
        if isinstance(outcome, Figure):
            figures.append(outcome)
            yield outcome
