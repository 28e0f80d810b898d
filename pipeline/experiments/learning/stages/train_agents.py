"""Stage `train_agents`: agents with all their seeds, a task per agent, reward and variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_optimum
from pipeline.base import progress
from pipeline.base.errors import InputError
from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels import BrokerPlan, Plans
from pipeline.experiments.learning.kernels.training_kernel import CELL, CURVES, TRAINED, train
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.settings.learning_experiment import Cell
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped, numbered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.inputs.traces import Trace
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, traces: Mapping[str, Trace]) -> dict[str, DataFrame]:
    """Rows of `trainings` and `policies`."""
    experiments = [one for one in work.config.learning if one.name in work.experiments]
    cells = [cell for one in experiments for cell in one.cells()]
    progress.note(f"{len(cells)} trainings, each with all its seeds")
    recorded = recorded_groups.of(traces)
    plans = kernels.plans(experiments, work.config.seed, recorded)
    check_scores(cells, plans)
    trained = work.keep(mapped(placed(work.spark, cells), train(plans), TRAINED))
    policies = trained.select(*arrow.contract("policies", without=("run_id",)).names)
    episodes = numbered(trained, (*CELL, "seed"), "trainings", CURVES, "episode")
    return {"trainings": by_experiment(episodes), "policies": by_experiment(policies)}


def check_scores(cells: Sequence[Cell], plans: Plans) -> None:
    """Raise `InputError` if random actions are as good as the optimum: there is no score."""
    for cell in cells:
        plan = plans[cell.experiment, cell.variant]
        if isinstance(plan, BrokerPlan):
            brokers = plan.settings.brokers
            try:
                broker_optimum.ends(brokers, cell.reward, broker_optimum.starts(brokers))
            except InvalidParameterError as error:
                where = f"experiment {cell.experiment}, variant {cell.variant}"
                raise InputError(f"{where}: {error}") from None


def placed(spark: SparkSession, cells: Sequence[Sequence[str]]) -> DataFrame:
    """A row per cell, each in a task of its own."""
    from pyspark.sql import functions as F

    columns = [pa.array(values, pa.string()) for values in zip(*cells, strict=True)]
    tasks = pa.array(range(len(cells)), pa.int32())
    rows = spark.createDataFrame(pa.table([*columns, tasks], names=[*CELL, "task"]))
    return rows.repartitionById(len(cells), F.col("task")).drop("task")
