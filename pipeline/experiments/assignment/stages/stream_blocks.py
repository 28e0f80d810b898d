"""Whole streams for the kernels: rows packed into blocks, those of a stream in one task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.row_blocks import BLOCKS, KEYS, pack
from pipeline.experiments.streams import whole_streams
from pipeline.warehouse.spark.stream_tasks import with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.warehouse.runs.stage import Work


def of_rates(work: Work, streams: DataFrame, measurements: DataFrame) -> DataFrame:
    """Blocks of measurements, for kernels that use `row_blocks.unpack`."""
    return laid_out([packed(measurements, "rates")], _placed(work, streams))


def of_assignments(
    work: Work,
    streams: DataFrame,
    measurements: DataFrame,
    assignments: DataFrame,
    numbers: Sequence[str] = (),
) -> DataFrame:
    """Blocks for `row_blocks.by_algorithm`, with columns ``numbers`` besides ``consumers``."""
    both = [packed(measurements, "rates"), packed(assignments, "consumers", numbers)]
    return laid_out(both, _placed(work, streams))


def of_numbers(
    work: Work, streams: DataFrame, assignments: DataFrame, numbers: Sequence[str]
) -> DataFrame:
    """Blocks of columns of `assignments`, without its arrays, for `row_blocks.unpack`."""
    return laid_out([packed(assignments, None, numbers)], _placed(work, streams))


def packed(rows: DataFrame, arrays: str | None, numbers: Sequence[str] = ()) -> DataFrame:
    """Rows with their column of ``arrays`` as blocks; neighbouring rows make one block."""
    keys = [name for name in KEYS if name in rows.columns]
    held = () if arrays is None else (arrays,)
    return rows.select(*keys, "iteration", *numbers, *held).mapInArrow(pack(arrays), BLOCKS)


def laid_out(blocks: Sequence[DataFrame], placed: tuple[DataFrame, int]) -> DataFrame:
    """Blocks with seeds, a stream per task: rates first. Unknown streams stay for the audit."""
    from pyspark.sql import functions as F

    streams, tasks = placed
    together = reduce(lambda first, second: first.unionAll(second), blocks)
    joined = together.join(F.broadcast(streams), "stream_id", "left")
    moved = joined.repartitionById(tasks, F.coalesce("task", F.lit(0)))
    return moved.sortWithinPartitions("stream_id", "algorithm").drop("task")


def _placed(work: Work, streams: DataFrame) -> tuple[DataFrame, int]:
    from pyspark.sql import functions as F

    tasks = whole_streams.spread(work)
    placed = with_task(streams, F.size("partitions"), tasks)
    return placed.select("stream_id", "seed", "task"), tasks
