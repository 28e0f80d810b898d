"""Draws a run's summary for a terminal: its sections, and published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.reporting.sections import section_terminal
from schemas.verdicts import CONFIRMED, NOT_COMPARABLE

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts = written(results)
    return Group(
        section_terminal.shown(parts),
        *_published(results["published_figures"]),
    )


def _published(rows: pd.DataFrame) -> list[RenderableType]:
    """Published figures that can be compared, with verdicts."""
    comparable = rows[rows["verdict"] != NOT_COMPARABLE]
    if comparable.empty:
        return []
    table = plain_table()
    for head in ("figure", "published", "ours", "verdict"):
        table.add_column(head, overflow="fold")
    for row in comparable.to_dict("records"):
        figure = f"{row['its_workload']}, {row['its_strategy']}: {row['figure']}"
        style = "" if row["verdict"] in CONFIRMED else "bold"
        table.add_row(figure, row["published"], row["ours"], row["verdict"], style=style)
    rest = len(rows) - len(comparable)
    heading = Rule(Text("published figures", "bold"), align="left", style="dim")
    more = Text(f"{rest} more cannot be compared; see the report.", "dim")
    return [Text(""), heading, table, *([more] if rest else [])]
