"""Holds a new recording against a recommendation."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.inference.simplest_choice import Rule
from algorithms.inference.week_draws import Spread
from algorithms.simulation.group_costs import Prices
from pipeline.experiments.autoscaling.confirmation import assumptions, common_time
from pipeline.experiments.autoscaling.confirmation.assumptions import Assumption
from pipeline.experiments.autoscaling.confirmation.observed_samples import Samples
from pipeline.experiments.autoscaling.confirmation.promise import Promise
from pipeline.experiments.autoscaling.recommendation import (
    candidate_outcomes,
    cluster_versions,
    recommend,
    recommendation_question,
    survived_events,
    todays_group,
)
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Count, Run
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.recorded_load import load_of
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.simulation_plan import (
    RecommendationPlan,
    plan,
)
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks
from pipeline.experiments.autoscaling.simulation import candidate_runs, simulation_settings
from pipeline.experiments.autoscaling.workloads.workload import Workload

_NEAR = 0.1
_QUANTILE = 0.95
_EXACT = 1e-9


class Confirmation(NamedTuple):
    """Comparison of what happened with what was promised."""

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
    late_measured: float
    """Share of late events as measured; NaN where it was not."""
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
    started_at: datetime | None
    """Start of the first step."""
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
        """Whether replicas are within the interval, or within 10 % without one.

        Pods of several members have up to one less than that more than the members needed.
        """
        low, high = (self.promise.replicas * (1.0 + sign * _NEAR) for sign in (-1, 1))
        if not math.isnan(self.promise.low):
            low, high = min(low, self.promise.low), max(high, self.promise.high)
        return low <= self.mean <= high + self.promise.members_per_replica - 1

    @property
    def is_late_kept(self) -> bool:
        """Whether the objective is kept: as measured, else as simulated on the new load."""
        late = self.late if math.isnan(self.late_measured) else self.late_measured
        return late <= self.promise.allowed + _EXACT

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
        Target(
            cluster=cluster_versions.of_record(asked),
            members_per_replica=promise.members_per_replica,
        ),
        blind=BlindChecks(asked.get("allow_blind", False)),
        survival=_survival(asked.get("survive"), objective),
    )


def _survival(text: str | None, objective: Objective) -> SurvivalChecks | None:
    if text is None:
        return None
    return SurvivalChecks(survived_events.parse(text), objective.allowed)


def confirm(
    promise: Promise, recorded: Workload, replicas: Samples, late: Samples | None = None
) -> Confirmation:
    """Simulate what was recommended on the new load, ask again, and compare.

    late: Percentage of events that were late, if it was measured.
    Raises InputError if the recordings have less than an hour in common.
    """
    load, observed = common_time.common(recorded, replicas)
    planned = plan(load.rates, load.step_s, question_of(promise, load))
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
        math.nan if late is None else _share(late, load),
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
        load.started_at,
        load.step_s,
    )


def _share(late: Samples, load: Workload) -> float:
    """Share of events that were late, where that is known; NaN where it is known nowhere."""
    start = common_time.started_at(load).timestamp()
    percent = late.at(start, len(load.rates), load.step_s)
    events = np.where(np.isnan(percent), 0.0, load.rates.sum(axis=1))
    total = float(events.sum())
    return float(np.nansum(percent * events)) / 100.0 / total if total > 0.0 else math.nan


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
