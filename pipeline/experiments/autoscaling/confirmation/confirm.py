"""Holds a new recording against a recommendation."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.inference.simplest_choice import Rule
from algorithms.inference.week_draws import Spread
from algorithms.simulation.group_costs import Prices
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.confirmation import assumptions
from pipeline.experiments.autoscaling.confirmation.assumptions import Assumption
from pipeline.experiments.autoscaling.confirmation.observed_replicas import Replicas
from pipeline.experiments.autoscaling.confirmation.promise import Promise
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    recommend,
    recommendation_question,
    todays_group,
)
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Count, Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.recorded_load import load_of
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import (
    RecommendationPlan,
    plan,
)
from pipeline.experiments.autoscaling.simulation import candidate_runs, simulation_settings
from pipeline.experiments.autoscaling.workloads.workload import Workload
from pipeline.inputs.traces import moments

LEAST_S = 3_600.0
"""Least time for which replicas and rates must both be known."""

_NEAR = 0.1
_QUANTILE = 0.95


class Confirmation(NamedTuple):
    """What happened beside what was promised."""

    promise: Promise
    hours: float
    """Time for which both recordings say something."""
    replicas: Floats
    """``[N]``, replicas in each step; NaN where unknown."""
    simulated: Floats
    """``[N]``, replicas of the recommended strategy on the new load."""
    scalings: float
    """Observed changes of the number of replicas per hour."""
    late: float
    """Share of late events of the recommended strategy on the new load, simulated."""
    scalings_now: float
    """Scalings per hour of the recommended strategy on the new load, simulated."""
    lag: float
    simulated_lag: float
    """`lag`, `simulated_lag`: 95th percentile of the total lag, events, as recorded and as
    simulated; NaN where the recording has none."""
    assumptions: tuple[Assumption, ...]
    answer: str | None
    """What would be recommended today; None if nothing keeps the objective."""
    total: Floats
    """``[N]``, total rate."""
    step_s: float

    @property
    def mean(self) -> float:
        """Mean of the observed replicas."""
        return float(np.nanmean(self.replicas))

    @property
    def peak(self) -> float:
        """Most observed replicas."""
        return float(np.nanmax(self.replicas))

    @property
    def are_replicas_kept(self) -> bool:
        """Whether replicas are within the interval, or within 10 % without one."""
        low, high = (self.promise.replicas * (1.0 + sign * _NEAR) for sign in (-1, 1))
        if not math.isnan(self.promise.low):
            low, high = min(low, self.promise.low), max(high, self.promise.high)
        return low <= self.mean <= high

    @property
    def is_late_kept(self) -> bool:
        """Whether the objective is kept on the new load, as simulated."""
        return self.late <= self.promise.allowed + 1e-9

    @property
    def is_lag_explained(self) -> bool:
        """Whether the recorded lag is at most twice what the model says."""
        return math.isnan(self.lag) or self.lag <= todays_group.MOST_RATIO * self.simulated_lag

    @property
    def is_kept(self) -> bool:
        """Whether it did what was promised."""
        return self.are_replicas_kept and self.is_late_kept and self.is_lag_explained

    @property
    def is_same(self) -> bool:
        """Whether the recommendation would be the same today."""
        return self.answer == self.promise.label


def question_of(promise: Promise, load: Workload) -> Question:
    """The question of a recommendation, for another recording.

    Raises InputError if a strategy or setting is not known any more.
    """
    record = promise.record
    asked, rule = record["asked"], record["rule"]
    objective = Objective(**record["objective"])
    own = dict(asked["settings"])
    checked = simulation_settings.check_alone(
        recommendation_question.startable({**own, "mu": asked["mu"], "wsla_s": objective.latency_s})
    )
    strategies = asked["strategies"]
    return Question(
        objective,
        asked["mu"],
        Prices(**record["prices"]),
        own,
        candidate_runs.parse(strategies, load.rates.shape[1], checked) if strategies else (),
        Rule(rule["confidence"], rule["worth"]),
        Spread(day_spread=rule["day_spread"]),
        load.sizes,
        load.labels,
        asked["today"],
        load.averaged_s,
        rule["within_step"],
        load.started_at,
    )


def confirm(promise: Promise, load: Workload, replicas: Replicas) -> Confirmation:
    """Simulate what was recommended on the new load, ask again, and compare.

    Raises InputError if the recordings have less than an hour in common.
    """
    planned = plan(load.rates, load.step_s, question_of(promise, load))
    observed = _on_load(load, replicas)
    outcome, lag, path = _simulated(promise, planned)
    hours = np.count_nonzero(~np.isnan(observed)) * load.step_s / 3600.0
    group = load.group
    recorded_lag = math.nan
    if group is not None:
        recorded_lag = float(np.quantile(np.nansum(group.lag, axis=1), _QUANTILE))
    candidate_outcomes.load_kernels(planned.bench, planned.eligible, Count())
    again = recommend.answer(planned)
    known = observed[~np.isnan(observed)]
    return Confirmation(
        promise,
        hours,
        observed,
        _resampled(path, len(observed)),
        float(np.count_nonzero(np.diff(known))) / hours,
        outcome.late,
        outcome.scalings_per_hour,
        recorded_lag,
        lag,
        assumptions.compared(
            promise.record,
            load_of(load.rates, load.labels),
            None if group is None else todays_group.served(group),
        ),
        again.answer.run.candidate.label if again.answer and again.is_met else None,
        load.rates.sum(axis=1),
        load.step_s,
    )


def _simulated(
    promise: Promise, planned: RecommendationPlan
) -> tuple[candidate_outcomes.CandidateOutcome, float, Floats]:
    """The recommended strategy on the new load, the 95th percentile of its lag, its replicas."""
    answer: dict[str, Any] = promise.record["answer"]
    bench = planned.bench
    checked = simulation_settings.check_alone(bench.settings)
    candidate = candidate_runs.parse([promise.label], bench.rates.shape[1], checked)[0]
    run = Run(candidate, Consumers(**answer["consumers"]))
    candidate_outcomes.check(bench, run)
    settings = candidate_outcomes.settings_of(bench, run)
    trajectory = candidate_outcomes.detailed_run(
        bench, candidate, settings, has_latencies=False
    ).trajectory
    outcome = candidate_outcomes.simulated(bench, run, has_latencies=False)
    lag = float(np.quantile(trajectory.lag, _QUANTILE))
    return outcome, lag, np.asarray(trajectory.replicas, np.float64)


def _resampled(values: Floats, steps: int) -> Floats:
    """Values at the ends of so many steps; a simulated step can be a part of one."""
    parts = len(values) // steps
    return values[parts - 1 :: parts][:steps]


def _on_load(load: Workload, replicas: Replicas) -> Floats:
    if load.started_at is None:
        raise InputError(
            f"--from {load.name}: must have times since 1970 or ISO 8601, since replicas are laid "
            "over it by the clock; write such times"
        )
    start, steps = load.started_at.timestamp(), len(load.rates)
    observed = replicas.at(start, steps, load.step_s)
    known_s = np.count_nonzero(~np.isnan(observed)) * load.step_s
    if known_s >= LEAST_S:
        return observed
    spans = ((start, start + steps * load.step_s), (replicas.times[0], replicas.times[-1]))
    first, second = (
        f"{moments.iso(float(low))} to {moments.iso(float(high))}" for low, high in spans
    )
    raise InputError(
        f"--from {load.name}: must have at least an hour in common with the replicas (got "
        f"{known_s / 60.0:.0f} min: {first}, and replicas {second}); record longer, or write both "
        "with the same time zone (--timestamps sets the unit)"
    )
