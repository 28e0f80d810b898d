"""Draws a run's summary for a terminal: agents with shares of success, and verdicts on claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.learning.sections.learning_sections import written
from pipeline.reporting.sections import section_terminal

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts = written(results)
    claims: list[RenderableType] = []
    for study in parts.studies:
        if len(study.verdicts):
            claims += [Text(""), _verdicts(study.verdicts.to_dict("records"))]
    return Group(section_terminal.shown(parts, console.width), *claims)


def _verdicts(rows: list[dict[str, Any]]) -> Table:
    table = plain_table()
    for head in ("claim", "of", "statement", "verdict"):
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(row["claim"], row["subject"], row["statement"], row["verdict"])
    return table
