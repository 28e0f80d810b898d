"""Whole streams for the kernels: rows packed into blocks, those of a stream in one task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.row_blocks import BLOCKS, KEYS, pack
from pipeline.experiments.assignment.stages import work_units
from pipeline.warehouse.spark.stream_tasks import with_task
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def of_rates(
    spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None
) -> DataFrame:
    """Blocks of the units' measurements, for kernels that use `row_blocks.unpack`."""
    measurements = tables.read(spark, "measurements", ctx.paths, ctx.run_id, units)
    return laid_out([packed(measurements, "rates")], _placed(spark, ctx, units))


def of_assignments(
    spark: SparkSession,
    ctx: RunContext,
    units: Sequence[Unit] | None = None,
    numbers: Sequence[str] = (),
) -> DataFrame:
    """Blocks of the units' measurements and assignments, for `row_blocks.by_algorithm`.

    Parameters
    ----------
    numbers
        Columns of `assignments` that the kernel needs besides ``consumers``.
    """
    measurements = tables.read(spark, "measurements", ctx.paths, ctx.run_id, units)
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id, units)
    both = [packed(measurements, "rates"), packed(assignments, "consumers", numbers)]
    return laid_out(both, _placed(spark, ctx, units))


def of_numbers(spark: SparkSession, ctx: RunContext, numbers: Sequence[str]) -> DataFrame:
    """Blocks of columns of the run's `assignments`, without its arrays, for `row_blocks.unpack`."""
    assignments = tables.read(spark, "assignments", ctx.paths, ctx.run_id)
    return laid_out([packed(assignments, None, numbers)], _placed(spark, ctx, None))


def packed(rows: DataFrame, arrays: str | None, numbers: Sequence[str] = ()) -> DataFrame:
    """Rows with their column of ``arrays`` as blocks; neighbouring rows make one block."""
    keys = [name for name in KEYS if name in rows.columns]
    held = () if arrays is None else (arrays,)
    return rows.select(*keys, "iteration", *numbers, *held).mapInArrow(pack(arrays), BLOCKS)


def laid_out(blocks: Sequence[DataFrame], placed: tuple[DataFrame, int]) -> DataFrame:
    """Blocks with the seed of their stream, each stream's in one task: rates, then algorithms.

    Unknown streams are kept for the audit to report.
    """
    from pyspark.sql import functions as F

    streams, tasks = placed
    together = reduce(lambda first, second: first.unionAll(second), blocks)
    known = together.join(F.broadcast(streams), "stream_id", "left")
    moved = known.repartitionById(tasks, F.coalesce("task", F.lit(0)))
    return moved.sortWithinPartitions("stream_id", "algorithm").drop("task")


def _placed(
    spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None
) -> tuple[DataFrame, int]:
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    if units is not None:
        streams = streams.where(tables.predicate(ctx.run_id, units))
    tasks = work_units.spread(spark, ctx, units)
    placed = with_task(streams, F.size("partitions"), tasks)
    return placed.select("stream_id", "seed", "task"), tasks
