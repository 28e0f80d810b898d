"""Stage `judge_figures`: verdicts on the figures that the paper on assignment publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.paper import reproduction, stored_verdicts
from pipeline.warehouse.runs.run_results import Results
from pipeline.warehouse.storage import reader, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

_LARGE = {"streams": ("partitions",), "latency": ("histogram",)}
"""Columns that no verdict needs, by table."""

_READ = ("streams", "scores", "latency", "pareto")


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `published_figures` of the run; it is not split into units."""
    here = reader.of(ctx.paths)
    read = {
        table: reader.pandas_frame(here, table, ctx.run_id, without=_LARGE.get(table, ()))
        for table in _READ
    }
    results = Results(read, {"config": ctx.config.to_json(private=False)})
    found = stored_verdicts.rows(reproduction.all_verdicts(results))
    frame = tables.of_rows(
        spark, [{"run_id": ctx.run_id, **row} for row in found], "published_figures"
    )
    tables.write(spark, frame.coalesce(1), "published_figures", ctx.paths, ctx.run_id)
