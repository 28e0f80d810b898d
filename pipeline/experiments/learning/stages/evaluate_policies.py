"""Stage `evaluate_policies`: stored policies of brokers and rules on held-out episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels.evaluation_kernel import EVALUATED, evaluate
from pipeline.inputs.policies import policy_weights
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

_COLUMNS = ("experiment", "agent", "reward", "variant", "seed", "layers", "weights", "digest")

TASKS_PER_CORE = 4


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `evaluations` of the units (all of the run where None)."""
    from pyspark.sql import functions as F

    stored = tables.read(spark, "policies", ctx.paths, ctx.run_id, units)
    stored = stored.where(F.col("environment") == policy_weights.BROKERS).select(*_COLUMNS)
    # Rules do not depend on the agent: the first seed of the first agent brings them.
    first = F.create_map(
        *(F.lit(text) for one in ctx.config.learning for text in (one.name, one.agents[0]))
    )
    with_rules = (F.col("seed") == 1) & (F.col("agent") == first[F.col("experiment")])
    tasks = TASKS_PER_CORE * session.cores(spark)
    placed = stored.withColumn("with_rules", with_rules).repartition(tasks)
    kernel = evaluate(kernels.plans(ctx.config.learning, ctx.config.seed))
    rows = mapped(placed, kernel, EVALUATED)
    tables.write_by_experiment(spark, rows, "evaluations", ctx.paths, ctx.run_id, units)
