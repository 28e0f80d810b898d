"""Stage `compare_figures`: what papers print on autoscaling, and ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling.kernels.application_kernel import SIMULATED, simulate_seeds
from pipeline.experiments.autoscaling.paper import run_comparisons
from pipeline.experiments.autoscaling.paper.comparison_row import Comparison
from pipeline.experiments.autoscaling.paper.reproduce_application import (
    ApplicationFigures,
    Runs,
    compare_runs,
)
from pipeline.experiments.autoscaling.paper.reproduce_formulas import formula_comparisons
from pipeline.warehouse.spark.stream_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.stage import Work

SEEDS = 30
"""Simulations of the application of three functions."""


def run(work: Work, simulations: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures` of a run on published workloads."""
    compared = [
        *run_comparisons.of_run(work.config, simulations.to_dict("records")),
        *formula_comparisons(),
        *compare_runs(_applications(work.spark, work.config.seed)),
    ]
    return map(_row, compared)


def _applications(spark: SparkSession, root: int) -> list[Runs]:
    """Figures of the application of three functions, for each seed."""
    seeds = [derive_seed(root, "application", number) for number in range(SEEDS)]
    planned = spark.createDataFrame(pa.table({"seed": seeds})).repartition(SEEDS)
    figures = mapped(planned, simulate_seeds, SIMULATED).toArrow().to_pylist()
    return [_by_policy(row for row in figures if row["seed"] == seed) for seed in seeds]


def _by_policy(rows: Iterable[Mapping[str, Any]]) -> Runs:
    fields = ApplicationFigures._fields
    return {
        row["policy"]: ApplicationFigures(**{name: row[name] for name in fields}) for row in rows
    }


def _row(comparison: Comparison) -> dict[str, object]:
    values = {_NAMES.get(name, name): value for name, value in comparison._asdict().items()}
    for name in ("published_value", "our_value"):
        values[name] = None if math.isnan(values[name]) else values[name]
    return values | {"difference": comparison.difference or None} | _NO_INTERVAL


_NO_INTERVAL = dict.fromkeys(("low", "high", "interval_text"))
"""Figures of autoscaling are compared by their digits, or judged by seeds."""


_NAMES = {
    "key": "figure_key",
    "workload": "its_workload",
    "strategy": "its_strategy",
    "setting": "candidate",
    "ours_value": "our_value",
}
"""Columns of the table that have other names than the fields of `Comparison`."""
