"""Stage `track`: the run's configuration and metrics in MLflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.family_list import family_of
from pipeline.experiments.shared.read_results import gather
from pipeline.reporting.tracking import client, retry
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Log a parent run, and one child run per experiment, δ and algorithm."""
    results = gather(spark, ctx)
    tracked = load(family_of(ctx.config).tracked)
    run = tracked(results, tables.warehouse(spark, ctx.paths))
    retry.insist(lambda: client.log_run(run), ctx.run_id)
