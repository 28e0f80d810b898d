"""Stage `generate_streams`: one stream per (experiment, δ, start condition, replicate)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from algorithms.core.seeds import stream_seed
from pipeline.experiments.assignment.kernels import Workloads
from pipeline.experiments.assignment.kernels.measurements_kernel import MEASURED, generate
from pipeline.experiments.assignment.stages import work_units
from pipeline.warehouse.spark.stream_tasks import mapped, with_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.settings.assignment_experiment import Experiment
    from pipeline.warehouse.runs.stage import Work


def run(work: Work) -> dict[str, DataFrame]:
    """Rows of `streams` and `measurements`."""
    specs = [spec for e in work.config.experiments for spec in specify(e, work.config.seed)]
    planned = work.spark.createDataFrame(pd.DataFrame(specs))
    measured = measure(planned, work_units.workloads(work.config), work_units.spread(work))
    return {"streams": describe(planned).coalesce(1), "measurements": measured}


def specify(experiment: Experiment, root: int) -> Iterator[dict[str, object]]:
    """One record per stream of an experiment.

    The seed does not depend on the start condition, so that start conditions are compared on the
    same increments.
    """
    starts = [str(rate) for rate in experiment.initial_rates]
    for delta, start, replicate in product(
        experiment.deltas, starts, range(1, experiment.replicates + 1)
    ):
        yield {
            "stream_id": f"{experiment.name}-d{delta:g}-{start}-r{replicate:04d}",
            "experiment": experiment.name,
            "delta": float(delta),
            "replicate": replicate,
            "seed": stream_seed(root, float(delta), replicate),
            "initial_rate": start,
            "n_iterations": experiment.iterations,
            "n_partitions": experiment.partitions,
            "capacity": experiment.capacity,
            "consumer_capacity": experiment.consumer_capacity,
            "step_s": experiment.iteration_seconds,
        }


def describe(planned: DataFrame) -> DataFrame:
    """Rows of `streams`; partitions are named ``0 … P-1``.

    Do not build other queries on the result: Spark keeps the lambda's variable in the plan, and two
    concurrent queries that share it give partitions wrong names.
    """
    from pyspark.sql import functions as F

    names = F.expr("transform(sequence(0, n_partitions - 1), i -> cast(i AS string))")
    integers = {name: F.col(name).cast("int") for name in ("replicate", "n_iterations")}
    extra = {
        "source": F.lit("generated"),
        "partitions": names,
        "name": F.lit(None).cast("string"),
        "digest": F.lit(None).cast("string"),
        "started_at": F.lit(None).cast("timestamp"),
        "unit": F.lit("bytes/s"),
        "topics": F.array(F.lit("")),
        "topic_sizes": F.array(F.col("n_partitions").cast("int")),
    }
    return planned.withColumns(integers | extra).drop("n_partitions")


def measure(planned: DataFrame, loads: Workloads, tasks: int) -> DataFrame:
    """Rows of `measurements` for planned streams."""
    from pyspark.sql import functions as F

    wanted = ("task", "stream_id", "experiment", "delta", "seed", "initial_rate")
    sizes = ("n_iterations", "n_partitions")
    placed = with_task(planned, F.col("n_partitions"), tasks).select(*wanted, *sizes)
    moved = placed.repartitionById(tasks, F.col("task"))
    return mapped(moved, generate(loads), MEASURED)
