"""Stage `simulate_groups`: every strategy of an experiment on each of its streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.kernels.simulation_kernel import SERIES, SIMULATED, simulate
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped, numbered, with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.warehouse.runs.stage import Work

_KEYS = ("experiment", "stream_id", "strategy", "setting")


def run(work: Work, streams: DataFrame, measurements: DataFrame) -> dict[str, DataFrame]:
    """Rows of `simulations`, `trajectories` and `actions`; each task simulates one stream."""
    kernel = simulate(scaling_plans.plans(work.config))
    simulated = work.keep(mapped(_measured(work, streams, measurements), kernel, SIMULATED))
    figures = simulated.select(*arrow.contract("simulations", without=("run_id",)).names)
    steps = {
        table: numbered(simulated, _KEYS, table, SERIES[table], index)
        for table, index in (("trajectories", "iteration"), ("actions", "action"))
    }
    rows = {"simulations": figures, **steps}
    return {table: by_experiment(frame) for table, frame in rows.items()}


def _measured(work: Work, streams: DataFrame, measurements: DataFrame) -> DataFrame:
    """Measurements of whole streams, in order, with the columns that the kernel needs."""
    from pyspark.sql import functions as F

    tasks = scaling_plans.tasks(work)
    placed = with_task(streams, F.size("partitions"), tasks)
    placed = placed.select("stream_id", "replicate", "seed", "topic_sizes", "task")
    rows = measurements.select("experiment", "stream_id", "iteration", "rates")
    moved = rows.join(F.broadcast(placed), "stream_id").repartitionById(tasks, F.col("task"))
    return moved.sortWithinPartitions("stream_id", "iteration").drop("task")
