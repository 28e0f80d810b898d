"""Sections on published figures with those of a live run: times of plans, speeds of consumers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.experiments.live.published import PublishedRow
from pipeline.reporting.sections.section import Row, Section, Table, text, verdict

_FIELDS = (
    text("Here", "ours"),
    text("Published", "published"),
    text("Required", "required"),
    verdict("Verdict", "verdict", "note"),
)


def times(figures: Sequence[PublishedRow]) -> Section:
    """Times of the controller's plans."""
    note = (
        "Of the controller's plans after the first iteration, next to those of the paper's "
        "Section VI-F."
    )
    return Section("Response times", tables=[_table(figures)], notes=[note])


def capacities(figures: Sequence[PublishedRow]) -> Iterator[Section]:
    """Speeds of a lone consumer; nothing without any."""
    if figures:
        note = "Speeds of the full batches of one consumer whose log is never empty."
        yield Section("Capacity of a consumer", tables=[_table(figures)], notes=[note])


def _table(figures: Sequence[PublishedRow]) -> Table:
    rows = [Row(one.name, one._asdict()) for one in figures]
    return Table("", "Figure", _FIELDS, rows, stacked=True)
