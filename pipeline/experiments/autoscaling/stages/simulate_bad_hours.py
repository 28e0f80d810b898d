"""Stage `simulate_bad_hours`: every strategy in events at the busiest hour, over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from algorithms.simulation import incident_times
from algorithms.simulation.incident_kinds import KINDS
from algorithms.simulation.incident_texts import Declared, When
from algorithms.simulation.incident_times import RETENTION_S, Incident, Recording
from pipeline.experiments.autoscaling.kernels.bad_hour_kernel import (
    SIMULATED,
    BadHourPlan,
    simulate,
)
from pipeline.experiments.autoscaling.stages import seed_tasks
from pipeline.experiments.autoscaling.stages.scaling_plans import plan_of
from pipeline.experiments.autoscaling.stages.seed_tasks import Task
from pipeline.experiments.autoscaling.workloads import busiest_hour
from pipeline.settings import compared_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.settings.run_config import RunConfig
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work

_PURPOSE = "bad hour"
"""Of the seeds."""


def run(work: Work, traces: Mapping[str, Trace]) -> DataFrame:
    """Rows of `bad_hour_runs`."""
    chosen = [one for one in work.config.autoscaling if one.bad_hour_seeds]
    plans = {one.name: hour_plan(one, traces, work.config.seed) for one in chosen}
    return seed_tasks.carried_out(work, tasks(work.config), simulate(plans), SIMULATED)


def tasks(config: RunConfig) -> Iterator[Task]:
    """A row per experiment, seed and strategy; all strategies have the same seeds."""
    for one in config.autoscaling:
        for task in seed_tasks.of_seeds(one, one.bad_hour_seeds, config.seed, _PURPOSE):
            for place in range(len(one.strategies)):
                yield {**task, "place": place}


def hour_plan(one: ScalingExperiment, traces: Mapping[str, Trace], root: int) -> BadHourPlan:
    """The workload around its busiest hour, and what happens as the hour begins."""
    plan = plan_of(one)
    rates, topics = seed_tasks.mean_rates(one, traces, plan.profile, root, _PURPOSE)
    busy_rate = busiest_hour.mean_rate(rates, one.step_s) or 1.0
    events = compared_events.declared(one.events, busy_rate)
    lasts_s = max(each.last_s - each.at_s for each in _placed(events, 0.0, len(rates) * one.step_s))
    at_s = busiest_hour.starts_s(rates, one.step_s, lasts_s)
    after_s = lasts_s + busiest_hour.AFTER_S
    around = busiest_hour.around(at_s, len(rates), one.step_s, after_s=after_s)
    window = rates[around]
    incidents = _placed(events, at_s - around.start * one.step_s, len(window) * one.step_s)
    cut = np.repeat(window, plan.parts, axis=0)
    return BadHourPlan(cut, topics, plan.candidates, plan.group, tuple(incidents))


def _placed(events: Sequence[Declared], at_s: float, length_s: float) -> list[Incident]:
    """Each event on its own, at that time unless it holds for the whole workload."""
    recording = Recording(length_s)
    at_hour = When(offset_s=at_s)
    timed = [one if KINDS[one.kind].lasts else one._replace(when=at_hour) for one in events]
    return [each for one in timed for each in incident_times.placed([one], recording, RETENTION_S)]
