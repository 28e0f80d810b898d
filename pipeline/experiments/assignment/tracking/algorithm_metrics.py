"""MLflow content of each (experiment, δ, algorithm): metrics, and curves by iteration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.results.metric_place import where
from pipeline.reporting.sections import numbers
from pipeline.reporting.tracking.content import Step
from pipeline.warehouse.runs.run_results import Results, deltas
from schemas.metrics import METRICS
from schemas.tables.assignment.scores import GAPS

WAITS = tuple(item for item in METRICS if item.table == "latency")

CURVES = {"n_consumers": "series/consumers", "rscore": "series/rscore"}
"""Columns of `Results.series` that become stepped metrics, and the names of these."""

MOST_STEPS = 100
"""Points per curve. Each is a row of MLflow's database; the paper's experiment has 168 curves."""


@dataclass(frozen=True)
class Cell:
    """Results of an algorithm in an experiment at one δ, over its streams."""

    row: Mapping[str, Any]
    """The row of table `pareto`."""
    metrics: Mapping[str, float]
    """Scores and latencies by name; those without a value are NaN or infinite."""
    curves: Sequence[Step]
    """Means over streams by iteration, at most `MOST_STEPS` of each."""

    @property
    def experiment(self) -> str:
        """Name of the experiment."""
        return str(self.row["experiment"])

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return str(self.row["algorithm"])

    @property
    def delta(self) -> str:
        """δ in words."""
        return numbers.delta(self.row["delta"])

    @property
    def where(self) -> str:
        """Experiment and δ, as names of runs and metrics have it."""
        return where(self.experiment, self.row["delta"])


def cells(results: Results) -> list[Cell]:
    """All results of a run, in the order of experiments, δ and algorithms."""
    found: list[Cell] = []
    for experiment in dict.fromkeys(results["pareto"]["experiment"]):
        for delta in deltas(results["pareto"], experiment):
            found += _of_unit(results, experiment, delta)
    return found


def _of_unit(results: Results, experiment: str, delta: float) -> Iterator[Cell]:
    here = results.at(experiment, delta=delta)
    means = _means(here["scores"])
    waits, gaps = _latencies(here["latency"]), _gaps(here["scores"])
    series = dict(iter(here["series"].groupby("algorithm")))
    rows = here["pareto"].to_dict("records")
    for row in sorted(rows, key=lambda row: registry.sort_key(str(row["algorithm"]))):
        name = str(row["algorithm"])
        metrics = _scores(row) | means[name]
        metrics |= gaps.get(name, {}) | waits.get(name, {})
        yield Cell(row, metrics, _curves(series[name]) if name in series else ())


def _scores(row: Mapping[str, Any]) -> dict[str, float]:
    """Scores of a row of `pareto`, whether on the front as 0 or 1."""
    scores = [item for item in METRICS if item.averaging == "mean" and item.gated]
    columns = [item.tracked for item in scores]
    columns += [f"{item.name}_{end}" for item in scores if item.interval for end in ("low", "high")]
    flags = {name: float(bool(row[name])) for name in ("on_front", "on_reference_front")}
    return {name: _number(row[name]) for name in columns} | flags


def _means(scores: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Means of the scores that `pareto` lacks, by algorithm."""
    names = {m.column: m.tracked for m in METRICS if m.table == "scores" and not m.gated}
    # The last digits of a mean depend on the order of the rows.
    means = scores.groupby("algorithm")[list(names)].mean().round(9).rename(columns=names)
    return {str(name): row for name, row in means.to_dict("index").items()}


def _gaps(scores: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Mean distances from proved bounds by algorithm, if known."""
    columns = [name for name in GAPS if name in scores and scores[name].notna().any()]
    means = scores.astype(dict.fromkeys(columns, float)).groupby("algorithm")[columns].mean()
    return {
        str(name): {column: float(row[column]) for column in columns if pd.notna(row[column])}
        for name, row in means.iterrows()
    }


def _latencies(rows: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Latency metrics by algorithm: times in seconds, medians over streams."""
    if rows.empty:
        return {}
    return {
        str(row["algorithm"]): {
            "latency_samples": float(row["n_samples"]),
            **{item.tracked: float(row[item.column]) for item in WAITS},
        }
        for row in studies.summarise(rows).to_dict("records")
    }


def _curves(rows: pd.DataFrame) -> list[Step]:
    """The series of one algorithm, thinned out evenly; its last iteration stays."""
    ordered = rows.sort_values("iteration")
    every = math.ceil(len(ordered) / MOST_STEPS)
    kept = ordered.iloc[(len(ordered) - 1) % every :: every]
    return [
        Step(key, int(iteration), float(value))
        for column, key in CURVES.items()
        if column in kept
        for iteration, value in zip(kept["iteration"], kept[column], strict=True)
    ]


def _number(value: Any) -> float:
    return math.nan if value is None or pd.isna(value) else float(value)
