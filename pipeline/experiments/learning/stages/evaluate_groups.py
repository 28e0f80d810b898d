"""Stage `evaluate_groups`: policies of groups, rules and clairvoyant plans on unseen traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels.group_kernel import CLAIRVOYANT, JUDGED, judge
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.inputs.policies import policy_weights
from pipeline.warehouse.spark import arrow, session
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import Unit
    from pipeline.warehouse.runs.context import RunContext

_COLUMNS = ("experiment", "variant", "seed", "layers", "weights", "digest")

TASKS_PER_CORE = 8


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `group_evaluations` of the units (all of the run where None)."""
    from pyspark.sql import functions as F

    stored = tables.read(spark, "policies", ctx.paths, ctx.run_id, units)
    stored = stored.where(F.col("environment") == policy_weights.GROUP)
    policies = stored.select(F.col("agent").alias("policy"), *_COLUMNS)
    wanted = {unit.experiment for unit in (ctx.config.units() if units is None else units)}
    every = policies.unionByName(_rules(spark, ctx, wanted), allowMissingColumns=True)
    placed = every.repartition(TASKS_PER_CORE * session.cores(spark))
    recorded = recorded_groups.load(ctx.config.traces)
    kernel = judge(kernels.plans(ctx.config.learning, ctx.config.seed, recorded))
    rows = mapped(placed, kernel, JUDGED)
    tables.write_by_experiment(spark, rows, "group_evaluations", ctx.paths, ctx.run_id, units)


def _rules(spark: SparkSession, ctx: RunContext, wanted: set[str]) -> DataFrame:
    """A row per rule; rules do not depend on the variant, so the first one names the plan."""
    rows = [
        {"policy": rule, "experiment": one.name, "variant": one.variants[0], "seed": 0}
        for one in ctx.config.learning
        if one.scales_group and one.name in wanted
        for rule in (*one.rules, CLAIRVOYANT)
    ]
    names = {name: pa.string() for name in ("policy", "experiment", "variant")}
    schema = pa.schema([*names.items(), ("seed", pa.int32())])
    # Of a unit with brokers there are none, so the types are named.
    return arrow.frame(spark, pa.Table.from_pylist(rows, schema=schema))
