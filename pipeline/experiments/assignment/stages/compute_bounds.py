"""Stage `bounds`: how well any algorithm could do at some iterations of each stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from algorithms.bounds.sample import sampled
from pipeline.experiments.assignment.kernels.bounds_kernel import BOUNDS, Plan, bound
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import mapped, with_task
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

TASKS_PER_CORE = 16
"""One stream can take minutes, so tasks are small and progress is visible."""


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `bounds` of a run with sampled iterations; not split into units."""
    from pyspark.sql import functions as F

    found = mapped(_sampled(spark, ctx), bound(_plans(ctx), _lengths(spark, ctx)), BOUNDS)
    # `coalesce` would have one task do all of the work.
    rows = found.withColumn("run_id", F.lit(ctx.run_id)).repartition(1)
    tables.write(spark, rows, "bounds", ctx.paths, ctx.run_id)


def _plans(ctx: RunContext) -> dict[str, Plan]:
    return {
        e.name: Plan(e.capacity, e.bound_iterations, e.bound_seconds, tuple(e.bound_algorithms))
        for e in ctx.config.experiments
    }


def _lengths(spark: SparkSession, ctx: RunContext) -> dict[str, int]:
    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    found = streams.select("stream_id", "n_iterations").toArrow()
    return dict(zip(*(found[name].to_pylist() for name in found.column_names), strict=True))


def _sampled(spark: SparkSession, ctx: RunContext) -> DataFrame:
    """Blocks of rates and assignments at the sampled iterations and those before them."""
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    kept = F.broadcast(
        streams.join(_iterations(spark, ctx, streams), ["experiment", "n_iterations"])
    )
    rows = kept.select("stream_id", "iteration")
    of_run = {
        table: tables.read(spark, table, ctx.paths, ctx.run_id).join(
            F.broadcast(rows), ["stream_id", "iteration"], "left_semi"
        )
        for table in ("measurements", "assignments")
    }
    packed = [
        stream_blocks.packed(of_run["measurements"], "rates"),
        stream_blocks.packed(of_run["assignments"], "consumers", ("n_consumers", "min_consumers")),
    ]
    tasks = min(ctx.config.n_streams(), TASKS_PER_CORE * session.cores(spark))
    placed = with_task(streams, F.size("partitions"), tasks)
    return stream_blocks.laid_out(packed, (placed.select("stream_id", "seed", "task"), tasks))


def _iterations(spark: SparkSession, ctx: RunContext, streams: DataFrame) -> DataFrame:
    """Iterations that the kernel needs, for each experiment and length of stream."""
    samples = {e.name: e.bound_iterations for e in ctx.config.experiments}
    lengths = streams.select("experiment", "n_iterations").distinct().toArrow().to_pylist()
    found = {
        (row["experiment"], row["n_iterations"], iteration)
        for row in lengths
        for k in sampled(row["n_iterations"], samples[row["experiment"]])
        for iteration in (k - 1, k)
        if iteration
    }
    columns = zip(*sorted(found), strict=True)
    kinds = {"experiment": pa.string(), "n_iterations": pa.int32(), "iteration": pa.int32()}
    named = zip(kinds, columns, strict=True)
    return spark.createDataFrame(pa.table({n: pa.array(c, kinds[n]) for n, c in named}))
