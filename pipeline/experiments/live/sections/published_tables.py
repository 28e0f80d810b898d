"""Draws a live run's summary for a terminal, with published figures next to its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.live.published import PublishedRow
from pipeline.experiments.live.sections.live_sections import written
from pipeline.reporting.sections import section_terminal
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import CONFIRMED, NOT_COMPARABLE


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts = written(results)
    return Group(section_terminal.shown(parts), *published(parts.published))


def published(figures: Mapping[str, Sequence[PublishedRow]]) -> list[RenderableType]:
    """Figures by experiment that have a verdict; nothing without any."""
    rows = [(name, row) for name, own in figures.items() for row in own if row.verdict]
    if not rows:
        return []
    table = plain_table()
    for head in ("experiment", "figure", "published", "ours", "verdict"):
        table.add_column(head, overflow="fold")
    for name, row in rows:
        style = "" if row.verdict in (*CONFIRMED, NOT_COMPARABLE) else "bold"
        table.add_row(name, row.name, row.published, row.ours, row.verdict, style=style)
    heading = Rule(Text("published figures", "bold"), align="left", style="dim")
    return [Text(""), heading, table]
