"""Stage `compare`: differences of the run's results from its baseline's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.base import progress
from pipeline.experiments.family_list import family_of
from pipeline.reporting.regression import outcome
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `differences` of the run, none without a baseline; it is not split into units."""
    if not family_of(ctx.config).gated:
        return
    here = reader.of(ctx.paths)  # a second or two less than through Spark, where that is possible
    found = outcome.now(here, ctx.run_id)
    for run_id in found.without_rows:
        progress.note(f"run {run_id} is published but has no results: skipped as a baseline")
    if not found.rows:
        # An earlier attempt may have had a baseline that has been removed since.
        if here.rows("differences", ["run_id"], run_id=[ctx.run_id]).num_rows:
            tables.delete_runs(spark, ctx.paths, "differences", [ctx.run_id])
        return
    rows = [{"run_id": ctx.run_id, **row} for row in found.rows]
    frame = tables.of_rows(spark, rows, "differences").coalesce(1)
    tables.write(spark, frame, "differences", ctx.paths, ctx.run_id)
