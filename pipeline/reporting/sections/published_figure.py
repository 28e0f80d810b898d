"""A figure or claim that a paper publishes, and its row of `published_figures`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.tolerances import Judged, Measured, Tolerance
from schemas.verdicts import BY_CONSTRUCTION, CONFIRMED, NOT_COMPARABLE

Row = dict[str, Any]

LANDAU = "Landau et al. 2024, arXiv 2402.06085"
"""Source of the figures on assignment and on live groups."""

RUSSO_RUSSO = (
    "Russo Russo, Schiazza, Cardellini: Elastic Pulsar Functions for Distributed Stream"
    " Processing, ICPE 2021 Companion"
)
"""Source of the figures on applications, simulated and on Pulsar."""

GIANNAKOPOULOS = "Giannakopoulos and Kalogeraki, DAIS 2022"
"""Source of the claims on brokers: agents that scale them, and how they join and leave."""

Run = TypeVar("Run")
"""What figures of a family are measured on."""


@dataclass(frozen=True, kw_only=True)
class PublishedFigure(Generic[Run]):
    """What a paper publishes, and how a run is compared with it."""

    key: str
    """Name for programs: unique, and the same in every run."""
    source: str
    """Paper or proposal."""
    place: str
    """Table or section of it."""
    workload: str = ""
    strategy: str
    """`workload`, `strategy`: what the figure is of, in the words of the source."""
    candidate: str = ""
    """What is run for it: an algorithm, a strategy with its parameters, or an experiment."""
    figure: str
    """What is measured."""
    value: Printed
    unit: str = ""
    """Unit of the values; empty for counts and statements."""
    tolerance: Tolerance
    """How near ours must be: one of `pipeline.reporting.sections.tolerances`."""
    measure: Callable[[Run], Measured]
    """What a run says of it."""
    incomparable: str = ""
    """Why no run can be compared with it: ours is only shown."""
    by_construction: str = ""
    """Why a run in the published setting could not come out otherwise; empty if it could."""
    note: str = ""
    """What a reader should know."""


def rows(figures: Iterable[PublishedFigure[Run]], run: Run) -> Iterator[Row]:
    """Rows of `published_figures`, without ``run_id``, in the order of the figures."""
    return (row(figure, run) for figure in figures)


def row(figure: PublishedFigure[Run], run: Run) -> Row:
    """The figure beside the value of a run, with a verdict."""
    measured = figure.measure(run)
    judged = Judged(NOT_COMPARABLE, measured.words or numbers.MISSING)
    if not measured.missing:
        judged = figure.tolerance(figure.value, figure.unit, measured)
    verdict = _verdict(figure, judged)
    return {
        "figure_key": figure.key,
        "source": figure.source,
        "location": figure.place,
        "its_workload": figure.workload,
        "its_strategy": figure.strategy,
        "candidate": figure.candidate,
        "figure": figure.figure,
        "unit": figure.unit,
        "published": figure.value.text,
        "published_value": _known(figure.value.value),
        "ours": judged.ours,
        "our_value": _known(judged.our_value),
        "low": _known(judged.low),
        "high": _known(judged.high),
        "interval_text": judged.interval,
        "difference": judged.difference,
        "verdict": verdict,
        "note": measured.missing or _note(figure, verdict, measured, judged),
    }


def _verdict(figure: PublishedFigure[Any], judged: Judged) -> str:
    """The one verdict on figures of all papers; see `schemas.verdicts`."""
    if figure.incomparable:
        return NOT_COMPARABLE
    if figure.by_construction and judged.verdict in CONFIRMED:
        return BY_CONSTRUCTION
    return judged.verdict


def _note(figure: PublishedFigure[Any], verdict: str, measured: Measured, judged: Judged) -> str:
    constructed = figure.by_construction if verdict == BY_CONSTRUCTION else ""
    reasons = (judged.note, measured.note, constructed, figure.note or figure.incomparable)
    return "; ".join(filter(None, reasons)).replace(".; ", ". ")


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
