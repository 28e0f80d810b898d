"""Draws a run's summary for a terminal: strategies on the broker beside the simulators."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.live.results.live_study import Quantity, Study, studies
from pipeline.experiments.live.sections import published_tables
from pipeline.reporting.sections import numbers
from schemas.metrics import LIVE, Metric

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results

COLUMNS = {
    "consumers": "live_consumers",
    "migrations": "live_moves",
    "p50": "live_p50",
    "p90": "live_p90",
    "p99": "live_p99",
}
"""Quantities of `live_agreement`, and the metrics that say how they are shown."""


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts: list[RenderableType] = []
    every = studies(results)
    for study in every:
        heading = Rule(Text(study.name, "bold"), align="left", style="dim")
        parts += [Text(""), heading, _table(study), Text(_agreement(study), "dim")]
    return Group(*parts, *published_tables.published(every))


def metric(quantity: str) -> Metric:
    """How a quantity is shown."""
    return next(item for item in LIVE if item.name == COLUMNS[quantity])


def value_text(quantity: str, value: float) -> str:
    """A value of a quantity, without its unit."""
    return numbers.of_metric(metric(quantity), value, unit=False)


def _table(study: Study) -> Table:
    """Strategies, the lowest latency first: what the broker did, and below it the predictions."""
    table = plain_table()
    table.add_column("strategy", no_wrap=True, min_width=18)
    for quantity in COLUMNS:
        table.add_column(metric(quantity).head, justify="right", no_wrap=True)
    for outcome in study.ranked:
        cells = [(name, outcome.quantities.get(name)) for name in COLUMNS]
        table.add_row(outcome.strategy, *(_measured(name, cell) for name, cell in cells))
        simulated = (_predicted(name, cell and cell.by_assignment) for name, cell in cells)
        replayed = (_predicted(name, cell and cell.by_queue) for name, cell in cells)
        table.add_row("  simulated", *simulated, style="dim")
        table.add_row("  replayed", *replayed, style="dim")
    return table


def _measured(name: str, cell: Quantity | None) -> Text:
    if cell is None:
        return Text(numbers.MISSING)
    return Text(value_text(name, cell.measured), "" if cell.agrees else "bold")


def _predicted(name: str, value: float | None) -> str:
    return numbers.MISSING if value is None else value_text(name, value)


def _agreement(study: Study) -> str:
    words = (
        f"Latencies that agree with the simulation: {study.agreed('a')}; with the replayed "
        f"queues: {study.agreed('b')}."
    )
    owners = study.agreed("a", ("other_owners",))
    if owners.of:
        words += f" Runs with exactly the simulated owners: {owners}."
    if math.isfinite(study.tau):
        words += f" Kendall's τ of the rankings: {study.tau:.2f}."
    words += " Bold: a value differs from a prediction."
    return f"{words} {study.unread}".rstrip()
