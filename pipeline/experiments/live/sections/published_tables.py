"""Draws published figures next to those of a live run, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.live import published as published_rows
from pipeline.experiments.live.results.live_study import Study
from schemas.verdicts import CONFIRMED, NOT_COMPARABLE


def published(studies: Sequence[Study]) -> list[RenderableType]:
    """Figures of all experiments that have a verdict; nothing without any."""
    rows = [
        (study.name, row) for study in studies for row in published_rows.rows(study) if row.verdict
    ]
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
