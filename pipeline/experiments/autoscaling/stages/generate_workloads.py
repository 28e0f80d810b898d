"""Stage `generate_workloads`: streams of load profiles, one per experiment and replicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling.kernels.workload_kernel import MEASURED, generate
from pipeline.experiments.autoscaling.stages import scaling_plans
from pipeline.inputs.traces import stream_columns
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.settings import split_field
from pipeline.warehouse.spark.stream_tasks import mapped, with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work


def run(work: Work) -> dict[str, Any]:
    """Rows of `streams` and `measurements`."""
    specs = [spec for e in work.config.autoscaling for spec in specify(e, work.config.seed)]
    return {"streams": specs, "measurements": _measure(work, specs)}


def specify(experiment: ScalingExperiment, root: int) -> Iterator[dict[str, object]]:
    """One row of `streams` per replicate.

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


def _measure(work: Work, specs: Sequence[dict[str, object]]) -> DataFrame:
    from pyspark.sql import functions as F

    columns = ("stream_id", "experiment", "seed", "n_iterations", "partitions")
    planned = work.spark.createDataFrame(pd.DataFrame(specs)[[*columns]])
    planned = planned.withColumn("delta", F.lit(None).cast("double"))
    tasks = scaling_plans.tasks(work)
    placed = with_task(planned, F.size("partitions"), tasks).repartitionById(tasks, F.col("task"))
    return mapped(placed, generate(scaling_plans.plans(work.config)), MEASURED)
