"""Draws a run's summary for a terminal: tables side by side where there is room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.assignment.sections import decision_table
from pipeline.experiments.assignment.sections.summary import Summary, summarise
from pipeline.reporting.sections import numbers, published_section
from schemas.metrics import METRICS, Metric, metric

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.warehouse.runs.run_results import Results

    Rows = Mapping[str, Mapping[str, Any]]


SCORES = tuple(item for item in METRICS if item.table == "scores" and item.gated)
LATENCY = tuple(item for item in METRICS if item.table == "latency")
P90 = metric("p90")

BELOW_MINIMUM = (
    "A negative CBS means too few consumers for the load (possible with kd_n and range_n)."
)


def plain_text(summary: Summary, width: int) -> str:
    """The tables as text without colours, lines no longer than ``width``."""
    written = StringIO()
    console = Console(file=written, width=width, color_system=None, legacy_windows=False)
    console.print(render(summary, console))
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    return render(summarise(results), console)


def render(summary: Summary, console: Console) -> RenderableType:
    """The tables for a terminal.

    An experiment with several δ has one table per metric, with a column for each δ; one with
    a single δ has a table of all metrics; one over recorded traces begins with what to run.
    """
    parts: list[RenderableType] = []
    decided = {one.experiment: one for one in summary.decisions}
    latency = summary.latency
    for name in dict.fromkeys(summary.scores["experiment"]):
        scores = summary.scores[summary.scores["experiment"] == name]
        waits = latency[latency["experiment"] == name]
        deltas = [float(delta) for delta in scores["delta"].unique()]
        only = f", δ = {deltas[0]:g}" if len(deltas) == 1 and not math.isnan(deltas[0]) else ""
        parts += _heading(f"{name}{only}")
        if name in decided:
            parts += decision_table.parts(decided[name], console)
            continue
        draw = _by_delta if len(deltas) > 1 else _at_once
        parts += draw(scores, waits, console)
        if (scores["cbs"] < 0).any():
            parts.append(Text(BELOW_MINIMUM, "dim"))
    return Group(*parts, *published_section.for_terminal(summary.published, console))


def _heading(title: str) -> list[RenderableType]:
    return [Text(""), Rule(Text(title, "bold"), align="left", style="dim")]


def _by_delta(
    scores: pd.DataFrame, latency: pd.DataFrame, console: Console
) -> Iterator[RenderableType]:
    """One table per metric, side by side if they fit."""
    wanted = [(scores, item) for item in SCORES]
    if len(latency):
        wanted.append((latency, P90))
    blocks = [block for frame, item in wanted for block in _matrix(frame, item, console)]
    yield Columns(blocks, padding=(1, 5), equal=True)


def _matrix(frame: pd.DataFrame, shown: Metric, console: Console) -> Iterator[RenderableType]:
    """Algorithms by δ; in several tables if there are too many δ for a line."""
    deltas = list(dict.fromkeys(frame["delta"]))
    names = list(dict.fromkeys(str(name) for name in frame["algorithm"]))
    cells = {
        (str(row["algorithm"]), row["delta"]): numbers.of_metric(
            shown, float(row[shown.column]), unit=False
        )
        for row in frame.to_dict("records")
    }
    rows = [(name, [cells.get((name, d), numbers.MISSING) for d in deltas]) for name in names]
    heads = [f"δ = {delta:g}" for delta in deltas]
    for table in _fitted(heads, rows, console):
        yield Group(Text(f"{shown.title}, {shown.unit}".rstrip(", ")), table)


def _at_once(
    scores: pd.DataFrame, latency: pd.DataFrame, console: Console
) -> Iterator[RenderableType]:
    """One table with a row per algorithm and a column per metric."""
    waits: Rows = {str(row["algorithm"]): row for row in latency.to_dict("records")}
    columns = [*SCORES, *(LATENCY if waits else ())]
    rows = []
    for row in scores.to_dict("records"):
        known = {**waits.get(str(row["algorithm"]), {}), **row}
        cells = [
            numbers.of_metric(item, float(known.get(item.column, math.nan)), unit=False)
            for item in columns
        ]
        rows.append((str(row["algorithm"]), cells))
    yield from _fitted([item.head for item in columns], rows, console)


def _fitted(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], console: Console
) -> Iterator[Table]:
    """A table, or several, one below the other, so that no number is cut off."""
    rows = list(rows)
    widths = [max(len(cell) for cell in column) + 2 for column in _columns(heads, rows)]
    room = console.width - max([len("algorithm"), *(len(name) for name, _ in rows)])
    start = 0
    while start < len(heads):
        end, used = start + 1, widths[start]
        while end < len(heads) and used + widths[end] <= room:
            used += widths[end]
            end += 1
        table = _table("algorithm", heads[start:end])
        for name, cells in rows:
            table.add_row(name, *cells[start:end])
        yield table
        start = end


def _columns(
    heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[Sequence[str]]:
    return zip(heads, *(cells for _, cells in rows), strict=True)


def _table(first: str, heads: Sequence[str]) -> Table:
    table = plain_table()
    table.add_column(first, no_wrap=True)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table
