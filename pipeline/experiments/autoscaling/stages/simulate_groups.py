"""Stage `simulate_groups`: every strategy of an experiment on each of its streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.kernels.simulation_kernel import SERIES, SIMULATED, simulate
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import mapped, numbered, with_task
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

_KEYS = ("experiment", "stream_id", "strategy", "setting")


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `simulations`, `trajectories` and `actions` of the units (all of the run where None).

    All strategies of a stream run in one task, one after the other.
    """
    simulated = mapped(_measured(spark, ctx, units), simulate(scaling_plans.plans(ctx)), SIMULATED)
    simulated = simulated.persist()
    try:
        figures = simulated.select(*arrow.contract("simulations", without=("run_id",)).names)
        where = (ctx.paths, ctx.run_id, units)
        tables.write_by_experiment(spark, figures, "simulations", *where)
        for table, index in (("trajectories", "iteration"), ("actions", "action")):
            rows = numbered(simulated, _KEYS, table, SERIES[table], index)
            tables.write_by_experiment(spark, rows, table, *where)
    finally:
        simulated.unpersist()


def _measured(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None) -> DataFrame:
    """Measurements of whole streams, in order, with the columns that the kernel needs."""
    from pyspark.sql import functions as F

    streams = tables.read(spark, "streams", ctx.paths, ctx.run_id, units)
    tasks = scaling_plans.tasks(spark, ctx, units)
    placed = with_task(streams, F.size("partitions"), tasks)
    placed = placed.select("stream_id", "replicate", "seed", "topic_sizes", "task")
    rows = tables.read(spark, "measurements", ctx.paths, ctx.run_id, units)
    rows = rows.select("experiment", "stream_id", "iteration", "rates")
    moved = rows.join(F.broadcast(placed), "stream_id").repartitionById(tasks, F.col("task"))
    return moved.sortWithinPartitions("stream_id", "iteration").drop("task")
