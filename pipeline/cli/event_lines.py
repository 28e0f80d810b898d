"""What declared events do to simulated groups, as a table and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from algorithms.simulation.incident_times import Incident
from pipeline.base.text.fitted_table import dropped_line, fitted
from pipeline.base.text.printable import printable
from pipeline.experiments.autoscaling.answers import recovery_cells
from pipeline.experiments.autoscaling.simulation import declared_events
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.console import RenderableType


def parts(
    workload: Workload,
    runs: Sequence[CandidateRun],
    incidents: Sequence[Incident],
    width: int | None,
) -> Iterator[RenderableType]:
    """Parts to print below the figures of a simulation; nothing without events."""
    if not incidents:
        return
    rows = [
        (
            printable(f"{run.candidate.label}: {declared_events.name(one, workload)}"),
            recovery_cells.cells(each),
        )
        for run in runs
        for one, each in zip(incidents, run.recoveries, strict=True)
    ]
    yield ""
    fit = fitted("\nstrategy: event", recovery_cells.COLUMNS, rows, width)
    yield fit.table
    yield ""
    if dropped := dropped_line(fit.dropped):
        yield dropped
    yield recovery_cells.MEANING
    if any(recovery_cells.is_open(each) for run in runs for each in run.recoveries):
        yield f"{numbers.MISSING}: not before the workload ends."


def record(run: CandidateRun, incidents: Sequence[Incident]) -> dict[str, Any]:
    """Figures of the events for JSON; nothing without events."""
    if not incidents:
        return {}
    return {
        "events": [
            declared_events.record(one, each)
            for one, each in zip(incidents, run.recoveries, strict=True)
        ]
    }
