"""Draws a run's summary for a terminal: agents with shares of success, and verdicts on claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.learning.results.group_study import GroupStudy, group_studies, written
from pipeline.experiments.learning.results.learning_study import Study, studies
from pipeline.reporting.sections import numbers
from schemas.metrics import LEARNING

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results

COLUMNS = tuple(item for item in LEARNING if item.name != "learning_share")
"""The share is shown as a number of seeds."""

MOST_VARIANTS = 4
"""Variants of an experiment that a terminal shows; the report has them all."""


def shown(results: Results, console: Console) -> RenderableType:
    """Results of a run, for a terminal."""
    parts: list[RenderableType] = []
    for study in studies(results):
        heading = Rule(Text(study.name, "bold"), align="left", style="dim")
        parts += [Text(""), heading, _table(study)]
        left = len(study.setting["variants"]) - MOST_VARIANTS
        if left > 0:
            parts.append(Text(f"{left} more variants are in the report.", "dim"))
        if len(study.verdicts):
            parts += [Text(""), _verdicts(study.verdicts.to_dict("records"))]
    for group in group_studies(results):
        parts += [Text(""), Rule(Text(group.name, "bold"), align="left", style="dim")]
        parts += [_beside_rules(group, weight) for weight in group.weights()]
    return Group(*parts)


def _beside_rules(study: GroupStudy, weight: float) -> Table:
    """Agents on a group beside rules, the least regret first."""
    table = plain_table()
    table.add_column(f"weight {weight:g}", overflow="fold")
    for head in ("seeds", "regret %", "95 % interval", "replicas", "late %"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in study.at(weight):
        ends = " to ".join(f"{100.0 * row[f'regret_{end}']:.1f}" for end in ("low", "high"))
        values = (f"{100.0 * row['regret']:.1f}", ends, f"{row['replicas']:.2f}")
        table.add_row(written(row), str(row["seeds"]), *values, f"{row['late_percent']:.2f}")
    return table


def _table(study: Study) -> Table:
    table = plain_table()
    for head in ("agent", "reward", "variant"):
        table.add_column(head, overflow="fold")
    table.add_column("succeed", justify="right", no_wrap=True)
    for item in COLUMNS:
        table.add_column(item.head, justify="right", no_wrap=True)
    few = study.setting["variants"][:MOST_VARIANTS]
    for row in study.scores[study.scores["variant"].isin(few)].to_dict("records"):
        values = (numbers.of_metric(m, row[m.column], unit=False) for m in COLUMNS)
        succeeding = f"{row['successes']} of {row['seeds']}"
        table.add_row(row["agent"], row["reward"], row["variant"], succeeding, *values)
    return table


def _verdicts(rows: list[dict[str, Any]]) -> Table:
    table = plain_table()
    for head in ("claim", "of", "statement", "verdict"):
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(row["claim"], row["subject"], row["statement"], row["verdict"])
    return table
