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


def led(experiments: Iterable[Experiment]) -> tuple[Experiment, list[Experiment]]:
    """The first chart, which stands below the page's answer, and the experiments without it."""
    first: list[Chart] = []
    rest = []
    for one in experiments:
        sections = []
        for section in one.sections:
            if section.charts and not first:
                first, others = [*section.charts[:1]], section.charts[1:]
                sections.append(section._replace(charts=others))
            else:
                sections.append(section)
        rest.append(one._replace(sections=sections))
    return Experiment("", "", [Section(charts=first)]), rest


def drawn(experiments: Iterable[Experiment], figures: list[Figure]) -> list[PageExperiment]:
    """Experiments with their figures, which are added to those that the page already has."""
    return [
        PageExperiment(one.name, one.words, [_drawn(part, figures) for part in one.sections])
        for one in experiments
    ]


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
