"""What stages of autoscaling hand to their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.kernels import Plans, SimulationPlan
from pipeline.settings import split_field
from pipeline.settings.strategy_names import candidates_of
from pipeline.warehouse.spark import session

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work

TASKS_PER_CORE = 8


def plans(config: RunConfig) -> Plans:
    """Plans of the run's experiments by name."""
    return {experiment.name: plan_of(experiment) for experiment in config.autoscaling}


def plan_of(experiment: ScalingExperiment) -> SimulationPlan:
    """Plan of an experiment."""
    fields = ("profile", "iterations", "partitions", "step_s", "poisson")
    unit = experiment.capacity
    split, weights = split_field.arguments(experiment.split)
    return SimulationPlan(
        workload=experiment.workload,
        candidates=tuple(candidates_of(experiment.strategies)),
        group=experiment.group,
        profile={name: getattr(experiment, name) for name in fields}
        | {"split": split, "weights": weights}
        | {"low": experiment.low * unit, "high": experiment.high * unit},
        recorded=experiment.recorded,
        parts=experiment.parts,
    )


def tasks(work: Work) -> int:
    """Number of tasks for work on whole streams: a few per core, so that all end together."""
    few = TASKS_PER_CORE * session.cores(work.spark)
    return max(1, min(work.config.n_streams(work.units), few))
