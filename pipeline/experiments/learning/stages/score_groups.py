"""Stage `score_groups`: agents on groups beside rules, and fronts, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.learning.results import group_scoring, weight_fronts
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `group_scores` and `group_fronts` of the run; it is not split into units."""
    found = reader.pandas_frame(reader.of(ctx.paths), "group_evaluations", ctx.run_id)
    grouped = [one for one in ctx.config.learning if one.scales_group]
    for table, rows in (("group_scores", group_scoring.rows), ("group_fronts", weight_fronts.rows)):
        scored = [
            {"run_id": ctx.run_id, **row}
            for one in grouped
            for row in rows(one, found[found["experiment"] == one.name], ctx.config.seed)
        ]
        frame = tables.of_rows(spark, scored, table).coalesce(1)
        tables.write(spark, frame, table, ctx.paths, ctx.run_id)
