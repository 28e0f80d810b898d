"""Kinds of published figures on autoscaling, with what all of a kind have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.paper.scaling_measures import (
    PaperRun,
    simulated,
)
from pipeline.inputs.traces.published_workloads import Partitioning, PublishedWorkload
from pipeline.reporting.sections.ezzeddine_figures import EZZEDDINE, TITLES
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import PublishedFigure
from pipeline.reporting.sections.tolerances import (
    Measured,
    as_printed,
    same_words,
)

KIP_169 = "G. Neale: KIP-169, Lag-Aware Partition Assignment Strategy, Apache Kafka, 2017"

Figure = PublishedFigure[PaperRun]


class Strategy(NamedTuple):
    """The strategy in the paper's words, and the candidate to simulate."""

    name: str
    candidate: Candidate


class Quantity(NamedTuple):
    """A field of `algorithms.simulation.Result`, its name and unit."""

    field: str
    title: str
    unit: str


SLA = Quantity("sla_percent", *TITLES["sla"])
MINUTES = Quantity("replica_minutes", *TITLES["minutes"])
UP, DOWN = Quantity("n_up", *TITLES["up"]), Quantity("n_down", *TITLES["down"])
MAXIMUM = Quantity("max", *TITLES["maximum"])


def on_workload(
    place: str,
    workload: PublishedWorkload,
    partitioning: Partitioning,
    strategy: Strategy,
    quantity: Quantity,
    text: str,
    computed: bool = False,
    note: str = "",
    by_construction: str = "",
) -> Figure:
    """A figure on a published workload; ``computed`` says that it follows from that."""
    title, label = f"{workload.name}, {partitioning.label}", strategy.candidate.label
    return Figure(
        key=f"{place}: {title}: {label}: {quantity.field}",
        source=EZZEDDINE,
        place=place,
        workload=title,
        strategy=strategy.name,
        candidate=label,
        figure=quantity.title,
        value=Printed.of(text),
        unit=quantity.unit,
        tolerance=as_printed,
        measure=simulated(title, label, quantity.field),
        incomparable="" if computed else "measured on a cluster",
        by_construction=by_construction,
        note=note,
    )


def example(
    assignor: str, figure: str, text: str, ours: Callable[[str], Measured], note: str = ""
) -> Figure:
    """What KIP-169 prints for its example, and the same of an assignor of ours."""
    return Figure(
        key=f"KIP-169: {assignor}: {figure}",
        source=KIP_169,
        place="Example",
        workload="lags 100,000, 60,000 and 50,000, two members",
        strategy=assignor,
        figure=figure,
        value=Printed(text),
        tolerance=same_words,
        measure=lambda _: ours(assignor),
        note=note,
    )
