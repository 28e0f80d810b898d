"""Stage `simulate_claims`: candidates under all settings that their paper leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling.kernels import workload_kernel
from pipeline.experiments.autoscaling.kernels.claim_kernel import SIMULATED, ClaimPlan, simulate
from pipeline.experiments.autoscaling.stages.scaling_plans import TASKS_PER_CORE, plan_of
from pipeline.experiments.autoscaling.stages.workload_streams import workload_of
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import by_experiment, mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, traces: Mapping[str, Trace], folder: Path) -> DataFrame:
    """Rows of `claim_runs`. folder: Where those of each seed are kept."""
    chosen = [one for one in work.config.autoscaling if one.claim_seeds]
    plans = {one.name: _plan(one, traces, work.config.seed) for one in chosen}
    planned = work.spark.createDataFrame(pa.Table.from_pylist([*tasks(work.config)]))
    spread = planned.repartition(session.cores(work.spark) * TASKS_PER_CORE)
    return by_experiment(mapped(spread, simulate(plans, folder), SIMULATED))


def tasks(config: RunConfig) -> Iterator[dict[str, object]]:
    """A row per experiment and seed; experiments have the same seeds."""
    for one in config.autoscaling:
        for number in range(1, one.claim_seeds + 1):
            seed = derive_seed(config.seed, "claims", number)
            yield {"experiment": one.name, "number": number, "seed": seed}


def _plan(one: ScalingExperiment, traces: Mapping[str, Trace], root: int) -> ClaimPlan:
    plan = plan_of(one)
    return ClaimPlan(_rates(one, traces, plan.profile, root), plan.candidates, plan.group)


def _rates(
    one: ScalingExperiment, traces: Mapping[str, Trace], profile: Mapping[str, object], root: int
) -> Floats:
    """Mean rates of the workload, float64[N, P]: events are drawn by open settings alone."""
    if one.trace is not None:
        return np.asarray(workload_of(one, traces[one.trace]).rates, np.float64)
    means = {**profile, "poisson": False}
    return workload_kernel.rates_of(means, derive_seed(root, "claims"))
