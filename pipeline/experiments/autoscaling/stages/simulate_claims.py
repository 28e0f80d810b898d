"""Stage `simulate_claims`: candidates under all settings that their paper leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.kernels.claim_kernel import SIMULATED, ClaimPlan, simulate
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS
from pipeline.experiments.autoscaling.stages import seed_tasks
from pipeline.experiments.autoscaling.stages.scaling_plans import plan_of
from pipeline.experiments.autoscaling.stages.seed_tasks import Task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work

_PURPOSE = "claims"
"""Of the seeds."""


def run(work: Work, traces: Mapping[str, Trace]) -> DataFrame:
    """Rows of `claim_runs`."""
    chosen = [one for one in work.config.autoscaling if one.claim_seeds]
    plans = {one.name: _plan(one, traces, work.config.seed) for one in chosen}
    return seed_tasks.carried_out(work, tasks(work.config), simulate(plans), SIMULATED)


def tasks(config: RunConfig) -> Iterator[Task]:
    """A row per experiment, seed and open setting; experiments have the same seeds."""
    for one in config.autoscaling:
        for task in seed_tasks.of_seeds(one, one.claim_seeds, config.seed, _PURPOSE):
            for place in range(len(OPEN_SETTINGS)):
                yield {**task, "place": place}


def _plan(one: ScalingExperiment, traces: Mapping[str, Trace], root: int) -> ClaimPlan:
    """Events are drawn by open settings alone."""
    plan = plan_of(one)
    rates, _ = seed_tasks.mean_rates(one, traces, plan.profile, root, _PURPOSE)
    return ClaimPlan(rates, plan.candidates, plan.group)
