"""Stage `generate_workloads`: streams of load profiles, one per experiment and replicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling.kernels.workload_kernel import MEASURED, generate
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.inputs.traces import stream_columns
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings import split_field
from pipeline.warehouse.spark.stream_tasks import mapped, with_task
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.context import RunContext


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `streams` and `measurements` of a run; it is not split into units."""
    from pyspark.sql import functions as F

    specs = [spec for e in ctx.config.autoscaling for spec in specify(e, ctx.config.seed)]
    described = tables.of_rows(spark, [{"run_id": ctx.run_id, **spec} for spec in specs], "streams")
    tables.write(spark, described.coalesce(1), "streams", ctx.paths, ctx.run_id)
    measured = _measure(spark, ctx, specs).withColumn("run_id", F.lit(ctx.run_id))
    tables.write(spark, measured, "measurements", ctx.paths, ctx.run_id)


def specify(experiment: ScalingExperiment, root: int) -> Iterator[dict[str, object]]:
    """One row of `streams` per replicate, without ``run_id``.

    The seed depends on the workload alone, so that experiments with other groups have the same
    streams.
    """
    how, weights = split_field.arguments(experiment.split)
    shape = (experiment.profile, experiment.partitions, how, experiment.iterations)
    for replicate in range(1, experiment.replicates + 1):
        yield {
            "stream_id": f"{experiment.name}-r{replicate:04d}",
            "experiment": experiment.name,
            "source": "profile",
            "delta": None,
            "replicate": replicate,
            "seed": derive_seed(root, "workload", *shape, *(weights or ()), replicate),
            "initial_rate": None,
            "partitions": [str(p) for p in range(experiment.partitions)],
            "n_iterations": experiment.iterations,
            "capacity": experiment.mu,
            "consumer_capacity": experiment.mu,
            "name": experiment.workload,
            "digest": None,
            **stream_columns.described(
                (Topic("", experiment.partitions),), experiment.step_s, stream_columns.EVENTS
            ),
        }


def _measure(spark: SparkSession, ctx: RunContext, specs: Sequence[dict[str, object]]) -> DataFrame:
    from pyspark.sql import functions as F

    wanted = ("stream_id", "experiment", "seed", "n_iterations", "partitions")
    planned = spark.createDataFrame(pd.DataFrame(specs)[[*wanted]])
    planned = planned.withColumn("delta", F.lit(None).cast("double"))
    tasks = scaling_plans.tasks(spark, ctx, None)
    placed = with_task(planned, F.size("partitions"), tasks).repartitionById(tasks, F.col("task"))
    return mapped(placed, generate(scaling_plans.plans(ctx)), MEASURED)
