"""Distribution of whole streams over tasks, and kernels that map their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.warehouse.spark import arrow

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

BatchKernel = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What ``mapInArrow`` calls."""


def mapped(frame: DataFrame, kernel: BatchKernel, schema: pa.Schema) -> DataFrame:
    """A frame's rows mapped by a kernel, batch by batch."""
    return frame.mapInArrow(kernel, arrow.struct(schema))


def numbered(
    frame: DataFrame, keys: Collection[str], table: str, names: Collection[str], index: str
) -> DataFrame:
    """A row per element of the lists ``TABLE_NAME``, numbered from 1, with the keys."""
    from pyspark.sql import functions as F

    rows = frame.select(*keys, F.posexplode(F.arrays_zip(*(f"{table}_{name}" for name in names))))
    columns = [F.col(f"col.{table}_{name}").alias(name) for name in names]
    return rows.select(*keys, (F.col("pos") + 1).cast("int").alias(index), *columns)


def by_experiment(frame: DataFrame) -> DataFrame:
    """More tasks than files, one file per experiment; `coalesce` would have one task do it all."""
    return frame.repartition("experiment")


def with_task(streams: DataFrame, partitions: Column, tasks: int) -> DataFrame:
    """Streams with the ``task`` that gets them.

    Streams of a unit are neighbours and tasks get equally many rates, so that each task writes few
    files of similar size. A stream has ``experiment``, ``delta``, ``stream_id`` and
    ``n_iterations``.

    partitions: Number of partitions of a stream.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    weight = F.col("n_iterations").cast("double") * partitions
    order = Window.orderBy("experiment", "delta", "stream_id")
    upto = F.sum(weight).over(order.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    share = (upto - weight) / F.sum(weight).over(Window.partitionBy())
    return streams.withColumn("task", F.least(F.floor(share * tasks).cast("int"), F.lit(tasks - 1)))
