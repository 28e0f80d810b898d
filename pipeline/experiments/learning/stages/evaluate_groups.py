"""Stage `evaluate_groups`: policies of groups, rules and clairvoyant plans on unseen traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels.group_kernel import CLAIRVOYANT, JUDGED, judge
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.inputs.policies import policy_weights
from pipeline.warehouse.spark import arrow, session
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.warehouse.runs.stage import Work

_COLUMNS = ("experiment", "variant", "seed", "layers", "weights", "digest")

TASKS_PER_CORE = 8


def run(work: Work, policies: DataFrame, traces: Mapping[str, Trace]) -> DataFrame:
    """Rows of `group_evaluations`."""
    from pyspark.sql import functions as F

    stored = policies.where(F.col("environment") == policy_weights.GROUP)
    stored = stored.select(F.col("agent").alias("policy"), *_COLUMNS)
    every = stored.unionByName(_rules(work), allowMissingColumns=True)
    placed = every.repartition(TASKS_PER_CORE * session.cores(work.spark))
    recorded = recorded_groups.of(traces)
    kernel = judge(kernels.plans(work.config.learning, work.config.seed, recorded))
    return by_experiment(mapped(placed, kernel, JUDGED))


def _rules(work: Work) -> DataFrame:
    """A row per rule; rules do not depend on the variant, so the first one names the plan."""
    rows = [
        {"policy": rule, "experiment": one.name, "variant": one.variants[0], "seed": 0}
        for one in work.config.learning
        if one.scales_group and one.name in work.experiments
        for rule in (*one.rules, CLAIRVOYANT)
    ]
    names = {name: pa.string() for name in ("policy", "experiment", "variant")}
    schema = pa.schema([*names.items(), ("seed", pa.int32())])
    # Of a unit with brokers there are none, so the types are named.
    return arrow.frame(work.spark, pa.Table.from_pylist(rows, schema=schema))
