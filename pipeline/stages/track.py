"""Stage `track`: the run's configuration and metrics in MLflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.runs.experiment_family import load
from pipeline.stages import family_of
from pipeline.stages.read_results import gather
from pipeline.storage import tables
from pipeline.tracking import client, retry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.config.run_config import Unit
    from pipeline.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Log a parent run, and one child run per experiment, δ and algorithm."""
    results = gather(spark, ctx)
    tracked = load(family_of(ctx.config).tracked)
    run = tracked(results, tables.warehouse(spark, ctx.paths))
    retry.insist(lambda: client.log_run(run), ctx.run_id)
