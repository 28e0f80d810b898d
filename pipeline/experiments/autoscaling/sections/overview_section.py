"""A table with a row per experiment: the cheapest that serves the SLA, the answer, KEDA, fixed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import (
    GOAL,
    REFERENCE,
    Study,
    cheapest,
    labelled,
    largest,
)
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Cell, Field, Row, Section, Table, Values

CHEAPEST = f"cheapest at {GOAL:g}{numbers.SPACE}%"


_NOTE = (
    "Replica-minutes of each experiment, and below them the events within the SLA; bold where "
    "these are at least 99 %."
)


def overview(studies: Sequence[Study], best: str) -> Section:
    """Replica-minutes and events within the SLA by experiment. best: The answer; "" for none."""
    columns: dict[str, Callable[[Study], Values | None]] = {
        CHEAPEST: lambda study: cheapest(study.rows),
        best: lambda study: labelled(study, best),
        REFERENCE: lambda study: labelled(study, REFERENCE),
        "largest fixed group": largest,
    }
    picked = {head: [pick(study) for study in studies] for head, pick in columns.items() if head}
    fields = [Field(head, head, partial(_cell, head)) for head, rows in picked.items() if any(rows)]
    rows = [
        Row(study.name, {"best": study.best} | {head: own[i] for head, own in picked.items()})
        for i, study in enumerate(studies)
    ]
    return Section(tables=[Table("", "Experiment", fields, rows)], notes=[_NOTE])


def _cell(head: str, values: Values) -> Cell:
    row, best = values[head], values["best"]
    if row is None and head == CHEAPEST:
        return Cell("none", (f"best: {strategy_style.short(best)}", _served(best)))
    if row is None:
        return Cell(numbers.MISSING)
    name = () if row["label"] == head else (strategy_style.short(row),)
    reached = not pd.isna(row["sla_percent"]) and row["sla_percent"] >= GOAL
    cost = numbers.fixed(float(row["replica_minutes"]), 1)
    return Cell(cost, (*name, _served(row)), bold=reached)


def _served(row: Values) -> str:
    value = row["sla_percent"]
    return served(math.nan if pd.isna(value) else float(value))
