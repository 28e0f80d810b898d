"""Stage `score_groups`: agents on groups beside rules, with intervals over seeds and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.learning import group_scoring
from pipeline.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.config.run_config import Unit
    from pipeline.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `group_scores` of the run; it is not split into units."""
    found = reader.pandas_frame(reader.of(ctx.paths), "group_evaluations", ctx.run_id)
    rows = [
        {"run_id": ctx.run_id, **row}
        for one in ctx.config.learning
        if one.scales_group
        for row in group_scoring.rows(one, found[found["experiment"] == one.name], ctx.config.seed)
    ]
    frame = tables.of_rows(spark, rows, "group_scores").coalesce(1)
    tables.write(spark, frame, "group_scores", ctx.paths, ctx.run_id)
