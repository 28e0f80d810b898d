"""What a family writes about its results, once: page, terminal, JSON and MLflow are made of it.

Rows hold values. A field says how one of them is written, and where: the page has all fields, a
terminal those that say so, MLflow those with the name of a metric, JSON the values of all. The
renderers are `section_page`, `section_terminal` and `section_json` beside this module, and
`tracking.section_metrics`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar, Unpack

from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.published_section import PublishedSection
from schemas.metric import Metric

Study = TypeVar("Study")

Values = Mapping[str, Any]
"""Values of a row, by name."""

Chart = Callable[[int], Figure | None]
"""Draws a figure with the given number; None if the run has no data. Only a page calls it."""


class Cell(NamedTuple):
    """One value; the lines ``below`` appear in small type under it."""

    text: str
    below: tuple[str, ...] = ()
    bold: bool = False


class Field(NamedTuple):
    """A column of a table."""

    head: str
    """Column head; "" for a value that MLflow and JSON alone get."""
    key: str
    """Name of the value in the rows."""
    write: Callable[[Values], Cell]
    """Writes the value of a row."""
    terminal: bool = False
    """Whether a terminal has the column too."""
    metric: str = ""
    """Name of the value in MLflow, before the row's label; "" for none."""


class Row(NamedTuple):
    """A row of a table."""

    name: str
    values: Values
    label: str = ""
    """Name in MLflow; "" if it does not get the row."""
    detail: bool = False
    """Whether only the page has the row."""
    short: str = ""
    """A shorter name for page and terminal; "" if these have the whole one, as JSON does."""

    @property
    def shown(self) -> str:
        """Its name on page and terminal."""
        return self.short or self.name


class Table(NamedTuple):
    """Rows with a name and the values of some fields."""

    title: str
    first: str
    """Head of the names."""
    fields: Sequence[Field]
    rows: Sequence[Row]
    stacked: bool = False
    """Whether cells have sentences, which a narrow screen shows below each other."""
    compact: bool = False
    """Whether a terminal leaves out the lines below values, and puts tables side by side."""
    folded: str = ""
    """What a page shows until readers unfold the table, and a terminal prints instead of it."""


class Section(NamedTuple):
    """One part of the results. A part that has nothing to say is empty."""

    title: str = ""
    answer: Sequence[str] = ()
    """What comes out, a paragraph each."""
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()
    """How to read it, a paragraph each."""
    result: Sequence[str] = ()
    """A run's answer in two sentences, where the first two of `answer` are not."""


class Experiment(NamedTuple):
    """The sections of an experiment, in order."""

    name: str
    words: str
    """Its workload and size."""
    sections: Sequence[Section]


class Written(Protocol):
    """All that a family writes about a run."""

    @property
    def answer(self) -> Section:
        """The run's answer, and what to know about it."""

    @property
    def experiments(self) -> Sequence[Experiment]:
        """In the order of the page."""

    @property
    def published(self) -> PublishedSection:
        """Published figures beside those of the run."""


class Place(TypedDict, total=False):
    """Where a field goes besides the page; see `Field`."""

    terminal: bool
    metric: str


def charts(drawings: Iterable[Callable[[Study, int], Figure | None]], study: Study) -> list[Chart]:
    """The figures of an experiment."""
    return [partial(draw, study) for draw in drawings]


def text(head: str, key: str, **place: Unpack[Place]) -> Field:
    """A field of words or counts."""
    return Field(head, key, lambda values: Cell(str(values[key])), **place)


def number(
    head: str,
    key: str,
    decimals: int,
    factor: float = 1.0,
    ends: bool = False,
    **place: Unpack[Place],
) -> Field:
    """A field of numbers; null and NaN are a dash.

    Parameters
    ----------
    ends
        Whether the interval from ``key_low`` to ``key_high`` stands below.
    """
    return _numeric(head, key, lambda value: numbers.fixed(factor * value, decimals), ends, place)


def measured(item: Metric, key: str = "", ends: bool = False, **place: Unpack[Place]) -> Field:
    """A field of a metric, written as everywhere; ``key`` if rows have it by another name."""
    key = key or item.column
    return _numeric(
        item.head, key, lambda value: numbers.of_metric(item, value, unit=False), ends, place
    )


def _numeric(
    head: str, key: str, written: Callable[[float], str], ends: bool, place: Place
) -> Field:
    def write(values: Values) -> Cell:
        value = _float(values[key])
        if not ends:
            return Cell(written(value))
        low, high = (_float(values[f"{key}_{end}"]) for end in ("low", "high"))
        bounds = numbers.MISSING if math.isnan(low) else f"{written(low)} to {written(high)}"
        return Cell(written(value), (bounds,))

    return Field(head, key, write, **place)


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)
