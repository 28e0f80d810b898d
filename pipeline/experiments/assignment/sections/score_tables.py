"""The report's tables of scores and latencies as rows of words, ready for the template."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.paper.authors_results import Published
from pipeline.experiments.assignment.results import decision, studies
from pipeline.experiments.assignment.sections import decision_text
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Fold, Grid
from pipeline.warehouse.runs.run_results import Results, deltas
from schemas.metrics import METRICS, Metric

_SCORES = tuple(item for item in METRICS if item.table == "scores" and item.gated)
_ALL_SCORES = tuple(item for item in METRICS if item.table == "scores")
_LATENCIES = tuple(item for item in METRICS if item.table == "latency")


_text = partial(numbers.of_metric, unit=False)


def score_sections(results: Results) -> list[Fold]:
    """Scores of every experiment: one matrix per score where it has several δ."""
    study = studies.tradeoff(results)
    sections = []
    for name in dict.fromkeys(results["pareto"]["experiment"]):
        values = deltas(results["pareto"], name)
        tables = _matrices(results, name) if len(values) > 1 else [_single(results, name)]
        title = f"Experiment {name}: {studies.describe(results, name)}"
        sections.append(Fold(title, tables, study is not None and name == study.name))
    return sections


def _matrices(results: Results, experiment: str) -> list[Grid]:
    crosses = studies.published_scores(results, experiment)
    rows = results.at(experiment)["pareto"]
    values = deltas(rows, experiment)
    names = sorted(rows["algorithm"].unique(), key=registry.sort_key)
    found = {(str(row["algorithm"]), _known(row["delta"])): row for row in rows.to_dict("records")}
    head = [f"δ = {numbers.delta(delta)}" for delta in values]
    keys = [(name, [(name, _known(delta)) for delta in values]) for name in names]
    return [
        Grid(
            f"{measure.title}, {measure.unit}".rstrip(", "),
            head,
            [
                (n, [_score_cell(found.get(k), measure, crosses.get(k)) for k in ks])
                for n, ks in keys
            ],
        )
        for measure in _SCORES
    ]


def _known(delta: float) -> float:
    """δ as a key; traces, which have none, as -1 (NaN equals nothing)."""
    return -1.0 if math.isnan(delta) else float(delta)


def _score_cell(row: dict[str, Any] | None, measure: Metric, there: Published | None) -> Cell:
    if row is None:
        return Cell(numbers.MISSING)
    below = _bounds(row, measure)
    if there is not None:
        below += (f"paper {_text(measure, getattr(there, measure.column))}",)
    best = bool(row["on_front"]) and measure.column != "mean_consumers"
    return Cell(_text(measure, float(row[measure.column])), below, best)


def _bounds(row: dict[str, Any], measure: Metric) -> tuple[str, ...]:
    low, high = row.get(f"{measure.column}_low"), row.get(f"{measure.column}_high")
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ()
    return (f"{_text(measure, float(low))}–{_text(measure, float(high))}",)


def _single(results: Results, experiment: str) -> Grid:
    """All scores of an experiment that has one δ or none, a row per algorithm."""
    here, marks = results.at(experiment), _marks(results, experiment)
    means = here["scores"].groupby("algorithm")[[m.column for m in _ALL_SCORES]].mean()
    rows, head = [], [metric.head for metric in _ALL_SCORES]
    for row in _ordered(here["pareto"], marks):
        name = str(row["algorithm"])
        values, mark = means.loc[name], marks.get(name, "")
        cells = [
            Cell(_text(m, float(values[m.column])), _bounds(row, m), bool(mark))
            for m in _ALL_SCORES
        ]
        if not marks:
            cells.append(Cell("on the front" if row["on_front"] else "", bold=True))
        rows.append((f"{name} {mark}".rstrip(), cells))
    return Grid("", head if marks else [*head, "Pareto front"], rows)


def _marks(results: Results, experiment: str) -> dict[str, str]:
    """Marks of the algorithms on recorded traces, in the order of the answer; else none."""
    if not studies.is_recorded(results, experiment):
        return {}
    decided = decision.decide(results, experiment)
    if decided is None:
        return {}
    return {one.algorithm: decision_text.mark(decided, one) for one in decided.options}


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


LATENCY_HEAD = ["consumers", "samples", "above 0 s", *(metric.head for metric in _LATENCIES)]


def latency_sections(results: Results) -> list[Fold]:
    """Latencies of every experiment, one table per δ; counts are means, times medians."""
    study = studies.latency(results)
    sections = []
    for name in dict.fromkeys(results["latency"]["experiment"]):
        tables = [_latency_table(results, name, d) for d in deltas(results["latency"], name)]
        title = f"Experiment {name}: {studies.describe(results, name)}"
        sections.append(Fold(title, tables, study is not None and name == study.name))
    return sections


def _latency_table(results: Results, experiment: str, delta: float) -> Grid:
    summary = studies.summarise(results.at(experiment, delta=delta)["latency"])
    marks = _marks(results, experiment)
    rows = []
    for row in _ordered(summary, marks):
        mark = marks.get(str(row["algorithm"]), "")
        rows.append((f"{row['algorithm']} {mark}".rstrip(), _latency_cells(row, bool(mark))))
    title = "" if math.isnan(delta) else f"δ = {delta:g}"
    return Grid(title, LATENCY_HEAD, rows)


def _latency_cells(row: dict[str, Any], bold: bool) -> list[Cell]:
    return [
        Cell(numbers.fixed(row["mean_consumers"], 2), bold=bold),
        Cell(numbers.count(row["n_samples"]), bold=bold),
        Cell(numbers.count(row["n_positive"]), bold=bold),
        *(Cell(_text(m, row[m.column]), _range(row, m), bold) for m in _LATENCIES),
    ]


def _range(row: dict[str, Any], metric: Metric) -> tuple[str, ...]:
    if row["streams"] < 2:
        return ()
    low, high = (float(row[f"{metric.column}_{end}"]) for end in ("low", "high"))
    return (f"{_text(metric, low)}–{_text(metric, high)}",)
