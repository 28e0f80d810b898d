"""Stage `evaluate_policies`: stored policies of brokers and rules on held-out episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels.evaluation_kernel import EVALUATED, evaluate
from pipeline.inputs.policies import policy_weights
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.warehouse.runs.stage import Work

_COLUMNS = ("experiment", "agent", "reward", "variant", "seed", "layers", "weights", "digest")

TASKS_PER_CORE = 4


def run(work: Work, policies: DataFrame) -> DataFrame:
    """Rows of `evaluations`."""
    from pyspark.sql import functions as F

    stored = policies.where(F.col("environment") == policy_weights.BROKERS).select(*_COLUMNS)
    # Rules do not depend on the agent: the first seed of the first agent brings them.
    first = F.create_map(
        *(F.lit(text) for one in work.config.learning for text in (one.name, one.agents[0]))
    )
    with_rules = (F.col("seed") == 1) & (F.col("agent") == first[F.col("experiment")])
    tasks = TASKS_PER_CORE * session.cores(work.spark)
    placed = stored.withColumn("with_rules", with_rules).repartition(tasks)
    kernel = evaluate(kernels.plans(work.config.learning, work.config.seed))
    return by_experiment(mapped(placed, kernel, EVALUATED))
