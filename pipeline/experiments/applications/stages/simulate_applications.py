"""Stage `simulate_applications`: every policy of an experiment on its application, seed by seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.experiments.applications import kernels
from pipeline.experiments.applications.kernels.application_kernel import (
    KEYS,
    SERIES,
    SIMULATED,
    simulate,
)
from pipeline.warehouse.spark import arrow, session
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped, numbered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.application_experiment import ApplicationExperiment
    from pipeline.warehouse.runs.stage import Work

TASKS_PER_CORE = 4


def run(work: Work) -> dict[str, DataFrame]:
    """Rows of `application_runs`, `application_steps` and `function_steps`."""
    experiments = [one for one in work.config.applications if one.name in work.experiments]
    kernel = simulate(kernels.plans(experiments, work.config.seed))
    simulated = work.keep(mapped(_planned(work.spark, experiments), kernel, SIMULATED))
    rows = {
        "application_runs": simulated.select(
            *arrow.contract("application_runs", without=("run_id",)).names
        ),
        "application_steps": numbered(
            simulated, KEYS, "application_steps", SERIES["application_steps"], "step"
        ),
        # These have their own numbers, of each function.
        "function_steps": numbered(
            simulated, KEYS, "function_steps", SERIES["function_steps"], "place"
        ).drop("place"),
    }
    return {table: by_experiment(frame) for table, frame in rows.items()}


def _planned(spark: SparkSession, experiments: list[ApplicationExperiment]) -> DataFrame:
    """A row per simulation, in a few tasks per core."""
    rows = [
        {"experiment": one.name, "policy": policy, "replicate": replicate}
        for replicate in range(1, max(one.replicates for one in experiments) + 1)
        for one in experiments
        if replicate <= one.replicates
        for policy in one.policies
    ]
    types = [("experiment", pa.string()), ("policy", pa.string()), ("replicate", pa.int32())]
    planned = arrow.frame(spark, pa.Table.from_pylist(rows, schema=pa.schema(types)))
    return planned.repartition(min(len(rows), TASKS_PER_CORE * session.cores(spark)))
