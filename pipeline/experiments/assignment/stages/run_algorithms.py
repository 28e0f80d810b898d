"""Stage `run_algorithms`: every algorithm of an experiment over each of its streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from algorithms.assignment import registry
from pipeline.experiments.assignment.kernels.assignment_kernel import ASSIGNED, assign
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.experiments.assignment.stages.work_units import workloads
from pipeline.inputs.traces import trace_topics
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.inputs.traces.trace_topics import Topics
    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `assignments` of the given units (all of the run where None).

    The iterations of a stream are a fold, because an assignment depends on the one before;
    all algorithms of a stream run in one task, because CBS compares them by iteration.
    """
    from pyspark.sql import functions as F

    streams = stream_blocks.of_rates(spark, ctx, units)
    assigned = mapped(streams, assign(workloads(ctx), _topics(spark, ctx)), ASSIGNED)
    assigned = assigned.withColumn("run_id", F.lit(ctx.run_id))
    tables.write(spark, assigned, "assignments", ctx.paths, ctx.run_id, units)


def _topics(spark: SparkSession, ctx: RunContext) -> dict[str, Topics]:
    """Topics of recorded streams, by stream, if an algorithm depends on them."""
    names = {name for experiment in ctx.config.experiments for name in experiment.algorithms}
    if not ctx.config.traces or not any(registry.get(name).by_topic for name in names):
        return {}
    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id)
    rows = streams.select("stream_id", "partitions").toArrow().to_pylist()
    return {row["stream_id"]: trace_topics.of(row["partitions"]) for row in rows}
