"""Stage `compare_figures`: what papers print on autoscaling, and ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

SEEDS = 30
"""Simulations of the application of three functions."""

COLUMNS = (
    *("experiment", "strategy", "setting"),
    *("sla_percent", "replica_minutes", "n_up", "n_down", "max"),
)


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `published_figures` of a run on published workloads; it is not split into units."""
    simulations = reader.of(ctx.paths).rows("simulations", COLUMNS, run_id=[ctx.run_id])
    compared = [
        *run_comparisons.of_run(ctx.config, simulations.to_pylist()),
        *formula_comparisons(),
        *compare_runs(_applications(spark, ctx.config.seed)),
    ]
    rows = [{"run_id": ctx.run_id, **_row(comparison)} for comparison in compared]
    frame = tables.of_rows(spark, rows, "published_figures").coalesce(1)
    tables.write(spark, frame, "published_figures", ctx.paths, ctx.run_id)


def _applications(spark: SparkSession, root: int) -> list[Runs]:
    """Figures of the application of three functions, for each seed."""
    seeds = [derive_seed(root, "application", number) for number in range(SEEDS)]
    planned = spark.createDataFrame(pa.table({"seed": seeds})).repartition(SEEDS)
    found = mapped(planned, simulate_seeds, SIMULATED).toArrow().to_pylist()
    return [_by_policy(row for row in found if row["seed"] == seed) for seed in seeds]


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
