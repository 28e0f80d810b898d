"""Kinds of published figures on autoscaling, with what all of a kind have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.paper.application_runs import POLICIES
from pipeline.experiments.autoscaling.paper.scaling_measures import (
    Measure,
    PaperRun,
    in_application,
    simulated,
)
from pipeline.inputs.traces.published_workloads import Partitioning, PublishedWorkload
from pipeline.reporting.sections.ezzeddine_figures import EZZEDDINE, TITLES
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import RUSSO_RUSSO, PublishedFigure
from pipeline.reporting.sections.tolerances import (
    Measured,
    as_printed,
    most_seeds,
    same_words,
    spread_over_seeds,
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


def claim(key: str, policy: str, figure: str, text: str, measure: Measure) -> Figure:
    """A claim on the application of three functions."""
    return Figure(
        key=f"Russo Russo 2021: {key}",
        source=RUSSO_RUSSO,
        place="Section 5.2",
        workload="three functions, six intervals of 10 minutes",
        strategy=POLICIES[policy],
        figure=figure,
        value=Printed(text),
        tolerance=most_seeds,
        measure=measure,
    )


def numbers_of(policy: str, *printed: str) -> list[Figure]:
    """The printed numbers of a policy, which ours are only shown beside."""
    columns = (
        ("mean_instances", "mean instances", ""),
        ("mean_s", "mean response time", "s"),
        ("peak_s", "peak response time", "s"),
    )
    return [
        replace(
            claim(
                f"{policy}_{field}",
                policy,
                title,
                text,
                in_application(policy, field),
            ),
            value=Printed.of(text),
            unit=unit,
            tolerance=spread_over_seeds,
            incomparable="the paper draws the rates and gives no service times",
        )
        for (field, title, unit), text in zip(columns, printed, strict=True)
    ]


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
