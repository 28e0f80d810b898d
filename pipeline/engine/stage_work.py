"""Runs the function of a stage: reads what it declares and writes what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pipeline.base.errors import StageError
from pipeline.warehouse.runs import stage_inputs
from pipeline.warehouse.runs.stage import Stage, Work
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

MOST_WRITES = 4
"""Tables that are written at once: most of a small write is waiting."""


def run(
    spark: SparkSession, ctx: RunContext, stage: Stage, units: Sequence[Unit] | None = None
) -> None:
    """Run a stage on the given units (all of the run where None) and replace their rows.

    Raises StageError if it does not return the tables that it declares.
    """
    work = Work(spark, ctx.config, ctx.config.units() if units is None else units)
    try:
        reads = {item.name: stage_inputs.read(spark, ctx, item, units) for item in stage.reads}
        by_table = _by_table(stage, stage.run(work, **reads))
        frames = {table: _frame(spark, ctx, table, rows) for table, rows in by_table.items()}
        # Tables made of one kept frame are written in turn, so that it is not computed twice.
        _write(spark, ctx, frames, units, 1 if work.kept else MOST_WRITES)
    finally:
        work.release()


def _by_table(stage: Stage, returned: Any) -> Mapping[str, Any]:
    by_table = returned if len(stage.writes) > 1 else dict.fromkeys(stage.writes, returned)
    if set(by_table) != set(stage.writes):
        raise StageError(f"{stage.name}: returns {sorted(by_table)}, writes {sorted(stage.writes)}")
    return {table: by_table[table] for table in stage.writes}


def _frame(spark: SparkSession, ctx: RunContext, table: str, rows: Any) -> DataFrame | None:
    """Rows with the run's id; None if there are none, and none to replace."""
    from pyspark.sql import functions as F

    # A Spark frame cannot be iterated, nor can an Arrow table.
    if isinstance(rows, Iterable):
        listed = [{"run_id": ctx.run_id, **row} for row in rows]
        if not listed and not tables.has_rows(spark, table, ctx.paths, ctx.run_id):
            return None
        return tables.of_rows(spark, listed, table).coalesce(1)
    frame = arrow.frame(spark, rows).coalesce(1) if isinstance(rows, pa.Table) else rows
    named: DataFrame = frame.withColumn("run_id", F.lit(ctx.run_id))
    return named


def _write(
    spark: SparkSession,
    ctx: RunContext,
    frames: Mapping[str, DataFrame | None],
    units: Sequence[Unit] | None,
    at_once: int,
) -> None:
    from pyspark import inheritable_thread_target

    def write(table: str) -> None:
        frame = frames[table]
        if frame is not None:
            tables.write(spark, frame, table, ctx.paths, ctx.run_id, units)

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        list(pool.map(inheritable_thread_target(spark)(write), frames))
