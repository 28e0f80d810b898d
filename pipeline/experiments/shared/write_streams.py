"""Stage `write_streams`: rows of `streams` and `measurements`, whatever makes their rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING

import pyarrow as pa

from algorithms.core.arrays import Floats
from pipeline.experiments.family_list import family_of
from pipeline.experiments.streams import stream, whole_streams
from pipeline.experiments.streams.stream import MADE_OF, MEASURED, Drawn, Stream
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced
from pipeline.warehouse.spark.stream_tasks import BatchKernel, mapped, with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.warehouse.runs.stage import Work

ROWS_PER_TASK = 5_000
"""Recorded rows; generated ones are spread by stream."""


def run(work: Work, traces: Mapping[str, Trace]) -> dict[str, DataFrame]:
    """Rows of both tables."""
    source = import_module(family_of(work.config).streams)
    streams: list[Stream] = list(source.streams(work.config, traces))
    planned = arrow.frame(work.spark, stream.rows(streams))
    recorded = [(one, one.rates) for one in streams if one.rates is not None]
    if recorded:
        measured = _recorded(work, recorded)
    else:
        measured = _generated(work, planned, source.draws(work.config))
    return {"streams": _described(planned), "measurements": measured}


def _described(planned: DataFrame) -> DataFrame:
    """Rows of `streams`, with the names of partitions that are numbers.

    Do not build other queries on the result: Spark keeps the lambda's variable in the plan, and two
    concurrent queries that share it give partitions wrong names.
    """
    from pyspark.sql import functions as F

    numbers = F.expr("transform(sequence(0, n_partitions - 1), i -> cast(i AS string))")
    named = planned.withColumn("partitions", F.coalesce("partitions", numbers))
    return named.drop("n_partitions").coalesce(1)


def _generated(work: Work, planned: DataFrame, draw: Drawn) -> DataFrame:
    """Rates that Spark's tasks make, each of whole streams."""
    from pyspark.sql import functions as F

    tasks = whole_streams.spread(work)
    placed = with_task(planned, F.col("n_partitions"), tasks).select("task", *MADE_OF)
    return mapped(placed.repartitionById(tasks, F.col("task")), drawing(draw), MEASURED)


def drawing(draw: Drawn) -> BatchKernel:
    """Rows of `streams` to rows of `measurements`, one batch per stream."""

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield stream.measurements(row, draw(row))

    return kernel


def _recorded(work: Work, streams: Sequence[tuple[Stream, Floats]]) -> DataFrame:
    """Rates that this process has."""
    frames = []
    for one, rates in streams:
        rows = sliced(pa.Table.from_batches([stream.measurements(one.made_of, rates)]))
        tasks = max(rows["rates"].num_chunks, 1 + rows.num_rows // ROWS_PER_TASK)
        frames.append(arrow.frame(work.spark, rows).coalesce(tasks))
    return reduce(lambda left, right: left.unionByName(right), frames)
