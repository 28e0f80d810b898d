"""Draws a run's summary for a terminal: the strategies on the front of each experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.autoscaling.results.deployable_strategies import deployable
from pipeline.reporting.sections import numbers, published_section
from schemas.metrics import SCALING, Metric

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results

MEANS = tuple(item for item in SCALING if item.averaging == "mean")


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts: list[RenderableType] = []
    figures = published_section.of_run(results, named=True)
    rows = results["trade_offs"]
    for name, group in rows.groupby("experiment", sort=False):
        workload = str(group["workload"].iloc[0])
        heading = Rule(Text(f"{name}: {workload}", "bold"), align="left", style="dim")
        parts += [Text(""), heading, _table(group)]
    return Group(*parts, *published_section.for_terminal(figures, console))


def _table(group: pd.DataFrame) -> Table:
    """The front of deployable candidates, the dearest first, and how many others there are."""
    table = plain_table()
    table.add_column("on the front", overflow="fold", min_width=24)
    for item in MEANS:
        table.add_column(item.head, justify="right", no_wrap=True)
    ranked = group.sort_values(["replica_minutes", "sla_percent"], ascending=[False, True])
    for row in ranked[ranked["on_front"]].to_dict("records"):
        table.add_row(label(row), *(_cell(item, row) for item in MEANS))
    past = deployable(group)
    known, behind = len(group) - len(past), int((~past["eligible"]).sum())
    rest = len(past) - int(group["on_front"].sum()) - behind
    if rest:
        _add_note(table, f"{rest:,} more {'is' if rest == 1 else 'are'} dominated")
    if behind:
        _add_note(table, f"{behind:,} more {'falls' if behind == 1 else 'fall'} behind for ever")
    if known:
        _add_note(table, f"{known:,} more must know rates beforehand")
    return table


def _add_note(table: Table, words: str) -> None:
    table.add_row(Text(words, "dim"), *("" for _ in MEANS))


def label(row: Mapping[str, Any]) -> str:
    """A strategy with its parameters."""
    return ":".join(part for part in (str(row["strategy"]), str(row["setting"])) if part)


def _cell(item: Metric, row: Mapping[str, Any]) -> str:
    value = row[item.name]
    known = numbers.MISSING if pd.isna(value) else numbers.of_metric(item, float(value), unit=False)
    low, high = (row[f"{item.name}_{end}"] for end in ("low", "high"))
    if pd.isna(low) or low == high:
        return known
    return f"{known} ± {numbers.fixed((float(high) - float(low)) / 2, item.decimals or 0)}"
