"""Stage `compare`: differences of the run's results from its baseline's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.base import progress
from pipeline.experiments.family_list import family_of
from pipeline.reporting.regression import outcome
from pipeline.reporting.regression.outcome import Outcome
from pipeline.warehouse.storage import reader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.stage import Work


def against_baseline(spark: SparkSession, ctx: RunContext) -> Outcome:
    """The run compared with its baseline; nothing is read if its family is not compared."""
    if not family_of(ctx.config).gated:
        return Outcome(ctx.run_id, None)
    return outcome.now(reader.of(ctx.paths), ctx.run_id)


def run(work: Work, compared: Outcome) -> Sequence[Mapping[str, Any]]:
    """Rows of `differences`, none without a baseline."""
    for run_id in compared.without_rows:
        progress.note(f"run {run_id} is published but has no results: skipped as a baseline")
    return compared.rows
