"""Published figures of autoscalers beside the simulation: what to run, and the comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.simulation import Result
from algorithms.simulation.group_settings import PAPER_GROUP
from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper.comparison_row import (
    Comparison,
    difference,
    value_text,
    verdict_on,
)
from pipeline.experiments.autoscaling.published import Figure
from pipeline.inputs.traces.published_workloads import PublishedWorkload, rates_of
from schemas.verdicts import BY_CONSTRUCTION, EXACT

_NOT_RUN = "not run"
_ON_A_CLUSTER = "measured on a cluster"


class Simulation(NamedTuple):
    """A run that published figures are compared with."""

    key: str
    """Unique name; the same in every run."""
    rates: Floats
    """The workload, events/s."""
    candidate: Candidate
    """The strategy with its arguments, and the settings of the group that differ from those of
    `PAPER_GROUP`."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the group."""
        return {**PAPER_GROUP, **self.candidate.settings}


def simulations(workload: PublishedWorkload, total: Floats) -> tuple[Simulation, ...]:
    """Return what to simulate on a recognised workload.

    Parameters
    ----------
    workload : PublishedWorkload
        From `published_workloads.recognised`.
    total : float64[N]
        Its total rates, events/s.

    Returns
    -------
    tuple of Simulation
        Each once, in the order of the figures that need it. Give their `Result` by key to
        `comparisons`.

    Raises
    ------
    InvalidParameterError
        If the rates are not finite, negative or of another shape.
    """
    figures = [figure for figure in published.FIGURES if figure.workload == workload]
    rates = {
        figure.partitioning: rates_of(workload, total, figure.partitioning) for figure in figures
    }
    by_key = {
        simulation_key(figure): (rates[figure.partitioning], figure.run.candidate)
        for figure in figures
    }
    return tuple(Simulation(key, *run) for key, run in by_key.items())


def comparisons(workload: PublishedWorkload, results: Mapping[str, Result]) -> list[Comparison]:
    """Return the published figures of a workload beside ours.

    Parameters
    ----------
    results : mapping of str to Result
        Results by key of `simulations`. A figure whose simulation is missing has no value.

    Returns
    -------
    list of Comparison
        One per figure, in the paper's order.
    """
    return [
        _compare(figure, results.get(simulation_key(figure)))
        for figure in published.FIGURES
        if figure.workload == workload
    ]


def simulation_key(figure: Figure) -> str:
    """Name of the simulation that a figure is compared with."""
    return f"{figure.workload.name}, {figure.partitioning.label}: {figure.run.candidate.label}"


def _compare(figure: Figure, result: Result | None) -> Comparison:
    value = math.nan if result is None else getattr(result, figure.measure.field)
    ours = math.nan if value is None else float(value)
    workload = f"{figure.workload.name}, {figure.partitioning.label}"
    return Comparison(
        key=f"{figure.location}: {simulation_key(figure)}: {figure.measure.field}",
        source=published.SOURCE,
        location=figure.location,
        workload=workload,
        strategy=figure.run.strategy,
        setting=figure.run.candidate.label,
        figure=figure.measure.title,
        unit=figure.measure.unit,
        published=figure.text,
        published_value=figure.printed.value,
        ours=value_text(figure.printed, ours),
        ours_value=ours,
        difference=difference(figure.printed, ours),
        verdict=_verdict(figure, ours),
        note=_note(figure, result),
    )


def _verdict(figure: Figure, ours: float) -> str:
    found = verdict_on(figure.printed, ours, figure.computed)
    return BY_CONSTRUCTION if figure.holds_by_construction and found == EXACT else found


def _note(figure: Figure, result: Result | None) -> str:
    if result is None:
        return _NOT_RUN
    return figure.note if figure.note or figure.computed else _ON_A_CLUSTER
