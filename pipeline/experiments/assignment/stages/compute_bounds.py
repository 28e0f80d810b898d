"""Stage `bounds`: how well any algorithm could do at some iterations of each stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from algorithms.bounds.sample import sampled
from pipeline.experiments.assignment.kernels.bounds_kernel import BOUNDS, BoundsPlan, bound
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import mapped, with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.stage import Work

TASKS_PER_CORE = 16
"""One stream can take minutes, so tasks are small and progress is visible."""


def run(
    work: Work, streams: DataFrame, measurements: DataFrame, assignments: DataFrame
) -> DataFrame:
    """Rows of `bounds`."""
    kernel = bound(_plans(work.config), _lengths(streams))
    rows = mapped(_sampled(work, streams, measurements, assignments), kernel, BOUNDS)
    # `coalesce` would have one task do all of the work.
    return rows.repartition(1)


def _plans(config: RunConfig) -> dict[str, BoundsPlan]:
    return {
        e.name: BoundsPlan(
            e.capacity, e.bound_iterations, e.bound_seconds, tuple(e.bound_algorithms)
        )
        for e in config.experiments
    }


def _lengths(streams: DataFrame) -> dict[str, int]:
    rows = streams.select("stream_id", "n_iterations").toArrow()
    return dict(zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True))


def _sampled(
    work: Work, streams: DataFrame, measurements: DataFrame, assignments: DataFrame
) -> DataFrame:
    """Blocks of rates and assignments at the sampled iterations and those before them."""
    from pyspark.sql import functions as F

    iterations = _iterations(work, streams)
    kept = F.broadcast(streams.join(iterations, ["experiment", "n_iterations"]))
    place = ["stream_id", "iteration"]
    rates, consumers = (
        rows.join(F.broadcast(kept.select(*place)), place, "left_semi")
        for rows in (measurements, assignments)
    )
    packed = [
        stream_blocks.packed(rates, "rates"),
        stream_blocks.packed(consumers, "consumers", ("n_consumers", "min_consumers")),
    ]
    tasks = min(work.config.n_streams(), TASKS_PER_CORE * session.cores(work.spark))
    placed = with_task(streams, F.size("partitions"), tasks)
    return stream_blocks.laid_out(packed, (placed.select("stream_id", "seed", "task"), tasks))


def _iterations(work: Work, streams: DataFrame) -> DataFrame:
    """Iterations that the kernel needs, for each experiment and length of stream."""
    samples = {e.name: e.bound_iterations for e in work.config.experiments}
    lengths = streams.select("experiment", "n_iterations").distinct().toArrow().to_pylist()
    rows = {
        (row["experiment"], row["n_iterations"], iteration)
        for row in lengths
        for k in sampled(row["n_iterations"], samples[row["experiment"]])
        for iteration in (k - 1, k)
        if iteration
    }
    columns = zip(*sorted(rows), strict=True)
    kinds = {"experiment": pa.string(), "n_iterations": pa.int32(), "iteration": pa.int32()}
    named = zip(kinds, columns, strict=True)
    return work.spark.createDataFrame(pa.table({n: pa.array(c, kinds[n]) for n, c in named}))
