"""A table with a row per experiment: the cheapest that serves the SLA, the answer, KEDA, fixed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import (
    GOAL,
    REFERENCE,
    Row,
    Study,
    cheapest,
    labelled,
    largest,
)
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Grid

CHEAPEST = f"cheapest at {GOAL:g}{numbers.SPACE}%"


def overview(studies: Sequence[Study], best: str) -> Grid:
    """Replica-minutes of each experiment, and below them the events within the SLA.

    Parameters
    ----------
    best
        Label of the strategy that the answer names; "" for none.
    """
    columns: dict[str, Callable[[Study], Row | None]] = {
        CHEAPEST: lambda study: cheapest(study.rows),
        best: lambda study: labelled(study, best),
        REFERENCE: lambda study: labelled(study, REFERENCE),
        "largest fixed group": largest,
    }
    heads = [head for head, pick in columns.items() if head and any(map(pick, studies))]
    rows = [
        (study.name, [_cell(columns[head](study), head, study) for head in heads])
        for study in studies
    ]
    return Grid("", heads, rows, "Experiment")


def _cell(row: Row | None, head: str, study: Study) -> Cell:
    if row is None and head == CHEAPEST:
        return Cell("none", (f"best: {strategy_style.short(study.best)}", _served(study.best)))
    if row is None:
        return Cell(numbers.MISSING)
    name = () if row["label"] == head else (strategy_style.short(row),)
    reached = not pd.isna(row["sla_percent"]) and row["sla_percent"] >= GOAL
    cost = numbers.fixed(float(row["replica_minutes"]), 1)
    return Cell(cost, (*name, _served(row)), bold=reached)


def _served(row: Row) -> str:
    value = row["sla_percent"]
    return served(math.nan if pd.isna(value) else float(value))
