"""Stage `track`: the run's configuration and metrics in MLflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.family_list import family_of
from pipeline.reporting.tracking import client, retry
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.run_results import Results
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, results: Results, ctx: RunContext) -> None:
    """Log a parent run, and one child run per experiment, δ and algorithm."""
    tracked = load(family_of(work.config).tracked)
    logged = tracked(results, tables.warehouse(work.spark, ctx.paths))
    retry.insist(lambda: client.log_run(logged), ctx.run_id)
