"""Stage `compare_figures`: what papers print on autoscaling, and ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.kernels.application_kernel import SIMULATED, simulate_seeds
from pipeline.experiments.autoscaling.paper import claimed_figures, workload_runs
from pipeline.experiments.autoscaling.paper.application_runs import ApplicationFigures, Policies
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import keyed
from pipeline.warehouse.spark.stream_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.stage import Work

SEEDS = 30
"""Simulations of the application of three functions."""


def run(
    work: Work,
    simulations: pd.DataFrame,
    claim_runs: pd.DataFrame,
    claim_differences: pd.DataFrame,
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures` of a run on published workloads, or with seeds for claims."""
    labelled = keyed(claim_runs).rename(columns={"algorithm": "label"})
    ours = PaperRun(claim_runs=labelled, claim_differences=claim_differences)
    yield from published_figure.rows(
        claimed_figures.figures(workload_runs.claimed(work.config)), ours
    )
    workloads = workload_runs.workloads(work.config)
    if workloads:
        simulated = workload_runs.simulations(work.config, simulations.to_dict("records"))
        applications = _applications(work.spark, work.config.seed)
        figures = published.figures(workloads)
        yield from published_figure.rows(figures, PaperRun(simulated, applications))


def _applications(spark: SparkSession, root: int) -> list[Policies]:
    """Figures of the application of three functions, for each seed."""
    seeds = [derive_seed(root, "application", number) for number in range(SEEDS)]
    planned = spark.createDataFrame(pa.table({"seed": seeds})).repartition(SEEDS)
    figures = mapped(planned, simulate_seeds, SIMULATED).toArrow().to_pylist()
    return [_by_policy(row for row in figures if row["seed"] == seed) for seed in seeds]


def _by_policy(rows: Iterable[Mapping[str, Any]]) -> Policies:
    fields = ApplicationFigures._fields
    return {
        row["policy"]: ApplicationFigures(**{name: row[name] for name in fields}) for row in rows
    }
