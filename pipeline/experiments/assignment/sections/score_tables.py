"""Tables of scores and latencies of every experiment."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.results.metric_place import metric_place
from pipeline.experiments.assignment.sections import answer_section
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    Values,
)
from pipeline.warehouse.runs.run_results import Results, deltas
from schemas.metric import Metric
from schemas.metrics import METRICS, metric

SCORES_TITLE, LATENCY_TITLE = "Scores", "Latency"
SCORES_NOTE = "Means over streams, with 95 % intervals if there are several."
LATENCY_NOTE = (
    "Counts are means over streams, delayed % is the share of all samples. Times are medians with "
    "the range of the central 95 % of streams. p50, p90, p99 and max cover the samples above 0 s."
)
BELOW_MINIMUM = (
    "A negative CBS means too few consumers for the load (possible with kd_n and range_n)."
)

_ALL_SCORES = tuple(item for item in METRICS if item.table == "scores")
SCORES = tuple(item for item in _ALL_SCORES if item.gated)
LATENCIES = tuple(item for item in METRICS if item.table == "latency")
P90 = metric("p90")
TRACKED = ("cbs", "mean_rscore", "mean_consumers", P90.tracked)
"""Metrics that MLflow's parent run has of every algorithm, so that two runs can be compared."""


def scores(results: Results) -> list[Experiment]:
    """Scores of every experiment: one matrix per score where it has several δ."""
    there = dict.fromkeys(results["pareto"]["experiment"])
    configured = [name for name in results.experiments if name in there]
    return [_scores(results, str(name)) for name in dict.fromkeys([*configured, *there])]


def _scores(results: Results, name: str) -> Experiment:
    values = deltas(results["pareto"], name)
    tables = _score_matrices(results, name) if len(values) > 1 else [_single(results, name)]
    below = bool((results.at(name)["pareto"]["cbs"] < 0).any())
    section = Section(SCORES_TITLE, tables=tables, notes=[BELOW_MINIMUM] if below else [])
    return Experiment(name, studies.describe(results, name), [section])


def _score_matrices(results: Results, experiment: str) -> list[Table]:
    there = studies.published_scores(results, experiment)
    rows = results.at(experiment)["pareto"].to_dict("records")
    papers = {key: value._asdict() for key, value in there.items()}
    return [
        _matrix(
            item,
            experiment,
            [
                row
                | {"bold": bool(row["on_front"]) and item.column != "mean_consumers"}
                | {"paper": papers.get((row["algorithm"], row["delta"]), {}).get(item.column)}
                for row in rows
            ],
            item.tracked,
        )
        for item in SCORES
    ]


def _matrix(
    item: Metric, experiment: str, rows: Sequence[dict[str, Any]], tracked: str = ""
) -> Table:
    """A metric of every algorithm by δ."""
    by_name: dict[str, dict[str, Any]] = {}
    for row in rows:
        key = delta_head(row["delta"])
        values = by_name.setdefault(str(row["algorithm"]), {})
        values |= {f"{key}{end}": row.get(f"{item.column}{end}") for end in ("", "_low", "_high")}
        values |= {f"{key}_{name}": row.get(name) for name in ("bold", "paper")}
    fields = [
        Field(
            delta_head(delta),
            delta_head(delta),
            partial(_cell, item, delta_head(delta)),
            terminal=True,
            metric=f"{tracked}/{metric_place(experiment, delta)}" if tracked in TRACKED else "",
        )
        for delta in deltas(pd.DataFrame(rows), experiment)
    ]
    names = sorted(by_name, key=registry.sort_key)
    return Table(
        f"{item.title}, {item.unit}".rstrip(", "),
        "Algorithm",
        fields,
        [Row(name, by_name[name], name) for name in names],
        compact=True,
    )


def delta_head(delta: float) -> str:
    """Head of a column of one δ."""
    return "recorded" if pd.isna(delta) else f"δ = {delta:g}"


def _cell(item: Metric, key: str, values: Values) -> Cell:
    """A value with its interval and the paper's value; bold for all of a row, or for a value."""
    value = values.get(key)
    if value is None:
        return Cell(numbers.MISSING)
    text = partial(numbers.of_metric, item, unit=False)
    ends = [values.get(f"{key}_{end}") for end in ("low", "high")]
    interval = [text(float(end)) for end in ends if end is not None and not math.isnan(end)]
    below = [f"{interval[0]}–{interval[1]}"] if len(interval) == len(ends) else []
    paper = values.get(f"{key}_paper")
    below += [] if paper is None else [f"paper {text(paper)}"]
    return Cell(
        text(float(value)), tuple(below), bool(values.get(f"{key}_bold", values.get("bold")))
    )


def _fields(metrics: Sequence[Metric], place: str, terminal: Sequence[Metric]) -> Iterator[Field]:
    for item in metrics:
        tracked = f"{item.tracked}/{place}" if item.tracked in TRACKED else ""
        write = partial(_cell, item, item.column)
        yield Field(item.head, item.column, write, item in terminal, tracked)


def _single(results: Results, experiment: str) -> Table:
    """All scores of an experiment that has one δ or none, a row per algorithm."""
    here, marks = results.at(experiment), answer_section.marks(results, experiment)
    more = [item.column for item in _ALL_SCORES if not item.gated]
    means = here["scores"].groupby("algorithm")[more].mean()
    delta = here["pareto"]["delta"].iloc[0]
    place = metric_place(experiment, delta)
    fields = [*_fields(_ALL_SCORES, place, () if marks else SCORES)]
    if not marks:
        fields.append(Field("Pareto front", "on_front", _front))
    rows = [
        _row(row | means.loc[row["algorithm"]].to_dict(), marks)
        for row in _ordered(here["pareto"], marks)
    ]
    return Table(_title(delta), "Algorithm", fields, rows, compact=True)


def _title(delta: float) -> str:
    return "" if pd.isna(delta) else delta_head(delta)


def _front(values: Values) -> Cell:
    return Cell("on the front" if values["on_front"] else "", bold=True)


def _row(values: dict[str, Any], marks: Mapping[str, str]) -> Row:
    name = str(values["algorithm"])
    mark = marks.get(name, "")
    return Row(f"{name} {mark}".rstrip(), values | {"bold": bool(mark)}, name)


def _ordered(rows: pd.DataFrame, marks: Mapping[str, str]) -> list[dict[str, Any]]:
    """Rows in the order of `marks`; those that have none, in the order of the registry."""
    records: list[dict[str, Any]] = rows.to_dict("records")
    places = {name: place for place, name in enumerate(marks)}
    return sorted(
        records,
        key=lambda row: (
            places.get(str(row["algorithm"]), len(places)),
            registry.sort_key(str(row["algorithm"])),
        ),
    )


_COUNTS = (
    ("consumers", "mean_consumers", lambda value: numbers.fixed(value, 2)),
    ("samples", "n_samples", numbers.count),
    ("above 0 s", "n_positive", numbers.count),
)


def latencies(results: Results) -> list[Experiment]:
    """Latencies of every experiment, one table per δ; counts are means, times medians."""
    return [
        _latencies(results, str(name)) for name in dict.fromkeys(results["latency"]["experiment"])
    ]


def _latencies(results: Results, name: str) -> Experiment:
    rows = {
        delta: studies.summarise(results.at(name, delta=delta)["latency"]).assign(
            experiment=name, delta=delta
        )
        for delta in deltas(results["latency"], name)
    }
    marks = answer_section.marks(results, name)
    shown = LATENCIES if len(rows) == 1 and not marks else ()
    tables = [_latency_table(part, name, delta, marks, shown) for delta, part in rows.items()]
    if len(rows) > 1:
        every = pd.concat(rows.values()).drop(columns=["p90_low", "p90_high"])
        tables = [_matrix(P90, name, every.assign(bold=False).to_dict("records")), *tables]
    section = Section(LATENCY_TITLE, tables=tables)
    return Experiment(name, studies.describe(results, name), [section])


def _latency_table(
    summary: pd.DataFrame,
    experiment: str,
    delta: float,
    marks: Mapping[str, str],
    shown: Sequence[Metric],
) -> Table:
    counts = [Field(head, key, partial(_count, write, key)) for head, key, write in _COUNTS]
    place = metric_place(experiment, delta)
    rows = [_row(_known_ranges(row), marks) for row in _ordered(summary, marks)]
    fields = [*counts, *_fields(LATENCIES, place, shown)]
    return Table(_title(delta), "Algorithm", fields, rows, compact=True)


def _count(write: Any, key: str, values: Values) -> Cell:
    return Cell(write(float(values[key])), bold=values["bold"])


def _known_ranges(row: dict[str, Any]) -> dict[str, Any]:
    """A row without ranges if it has a single stream."""
    if row["streams"] > 1:
        return row
    return {key: value for key, value in row.items() if not key.endswith(("_low", "_high"))}
