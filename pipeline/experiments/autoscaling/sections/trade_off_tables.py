"""The report's tables of an experiment: the front, and what it dominates."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from algorithms.inference import intervals
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import GOAL, Study
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Grid
from pipeline.warehouse.runs.run_results import Results, keyed
from schemas.metrics import SCALING, Metric

_MEANS = tuple(item for item in SCALING if item.averaging == "mean")
_LATENCIES = tuple(item for item in SCALING if item.averaging != "mean")
_ACTIONS = {"n_up": "up", "n_down": "down", "n_reassign": "reassign"}

HEAD = [
    *(item.head for item in _MEANS),
    *_ACTIONS.values(),
    *(item.head for item in _LATENCIES),
]

_text = partial(numbers.of_metric, unit=False)


class Tables(NamedTuple):
    """Candidates on the front, those that it dominates, and references that know rates."""

    front: Grid
    dominated: Grid
    references: Grid


def tables(results: Results, study: Study) -> Tables:
    """All candidates of an experiment, the best service first."""
    rows = keyed(results.at(study.name)["simulations"])
    by_label = dict(iter(rows.groupby("algorithm")))
    references = study.references
    rest = study.rows.drop([*study.front.index, *references.index])
    parts = (
        Grid(
            "",
            HEAD,
            [
                (row["label"], _cells(row, by_label[row["label"]]))
                for row in part.to_dict("records")
            ],
            "Strategy",
        )
        for part in (study.front, rest, references)
    )
    return Tables(*parts)


def _cells(row: dict[str, Any], streams: pd.DataFrame) -> list[Cell]:
    return [
        *(_mean(row, item) for item in _MEANS),
        *(Cell(numbers.plain(float(streams[column].mean()), 2)) for column in _ACTIONS),
        *(_latency(streams, item) for item in _LATENCIES),
    ]


def _mean(row: dict[str, Any], item: Metric) -> Cell:
    value, low, high = (float(row[f"{item.name}{end}"]) for end in ("", "_low", "_high"))
    text = _served if item.name == "sla_percent" else partial(_text, item)
    ends = text(low), text(high)
    below = ("–".join(ends),) if ends[0] != ends[1] else ()
    return Cell(text(value), below, bold=item.name == "sla_percent" and value >= GOAL)


def _served(value: float) -> str:
    return served(value).removesuffix("%").rstrip()


def _latency(streams: pd.DataFrame, item: Metric) -> Cell:
    """The median over streams, of the maximum the greatest; a dash without events."""
    values = streams[item.column].dropna().to_numpy(dtype=float)
    if not len(values):
        return Cell(numbers.MISSING)
    value = values.max() if item.averaging == "maximum" else intervals.median(values)
    return Cell(_text(item, float(value)))
