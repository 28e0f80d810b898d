"""One run of a simulated group: as many passes over the workload as its percentiles need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import Group, Strategy
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import (
    decision_loop,
    group_figures,
    group_state,
    latency_percentiles,
    latency_segments,
)
from algorithms.simulation.group_figures import SHARES
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_rules import Rules, rules_of
from algorithms.simulation.group_settings import GroupSettings, group_of
from algorithms.simulation.group_state import SAME_INSTANT_S, State
from algorithms.simulation.incident_kinds import Restart, Spot
from algorithms.simulation.incident_rows import AT
from algorithms.simulation.incident_state import OVERLAPS
from algorithms.simulation.incident_times import Incident, overlap
from algorithms.simulation.latency_segments import Latencies
from algorithms.workloads import poisson_counts


def run_group(
    rates: Floats,
    strategy: Strategy,
    arguments: Mapping[str, Any],
    settings: GroupSettings,
    topics: tuple[int, ...] | None = None,
    *,
    has_percentiles: bool,
    incidents: Sequence[Incident] = (),
) -> Detailed:
    """Simulate a group with checked settings.

    rates: float64[N, P], rates in events/s; means if the settings say ``poisson``.
    topics: Partitions of each topic, in column order. Default: one topic.
    has_percentiles: Whether percentiles of latencies are searched, which takes up to a third of the
        time; NaN without.
    incidents: What happens to it.
    Raises InvalidParameterError if a restart begins before another one is over.
    """
    if settings.poisson:
        rates = poisson_counts.draw(rates, settings.step_s, settings.seed)
    rules = rules_of(settings, rates.shape[0], incidents)
    group = _group_of(settings, rates, topics)
    run = _Run(strategy, arguments, group, rules, rates)
    if has_percentiles:
        state, latencies, waits = run.with_percentiles()
    else:
        state, latencies = run.once(np.empty((0, 2)))
        waits = np.full(SHARES.size, np.nan)
    _check_restarts(state, incidents)
    return Detailed(
        group_figures.result_of(rules, state, latencies, waits),
        group_figures.trajectory_of(rules, rates, state),
        group_figures.actions_of(rules, state)._replace(
            over_s=tuple(_over_s(rules, state, each) for each in incidents)
        ),
    )


def _over_s(rules: Rules, state: State, incident: Incident) -> float:
    ends = np.abs(rules.incidents[:, AT] - incident.ends_s) <= SAME_INSTANT_S
    return float(state.incidents.over[ends].max(initial=incident.ends_s))


def _check_restarts(state: State, incidents: Sequence[Incident]) -> None:
    at_s = float(state.incidents.numbers[OVERLAPS])
    for each in incidents:
        if isinstance(each.parameters, Restart | Spot) and abs(each.at_s - at_s) <= SAME_INSTANT_S:
            raise InvalidParameterError(overlap(each.text, each.at_s))


def _group_of(settings: GroupSettings, rates: Floats, topics: tuple[int, ...] | None) -> Group:
    return group_of(settings, rates.max(axis=0), topics, rates.mean(axis=0))


class LaterFigures(NamedTuple):
    """Figures of a run without its first steps."""

    replicas: float
    """Mean number of paid replicas."""
    moved: int
    """Partitions that moved in actions that began later."""
    waits: Floats
    """float64[5]: quantiles at `SHARES` of the time from the arrival of an event until its service
    begins, of the events that depart later, in s; +inf if events never depart, NaN without any."""


def later_figures(
    rates: Floats,
    strategy: Strategy,
    arguments: Mapping[str, Any],
    settings: GroupSettings,
    warm_up: int,
    topics: tuple[int, ...] | None = None,
    incidents: Sequence[Incident] = (),
) -> LaterFigures:
    """Simulate a group as `run_group` does, and look at it after its first steps.

    Events are not drawn.
    warm_up: Steps that are left out, fewer than there are.
    """
    rules = rules_of(settings, rates.shape[0], incidents)
    group = _group_of(settings, rates, topics)
    run = _Run(strategy, arguments, group, rules, rates, warm_up)
    state, _, waits = run.with_percentiles()
    begun = group_figures.actions_of(rules, state)
    paid_s = group_figures.trajectory_of(rules, rates, state).paid_s[warm_up:]
    is_later = begun.time_s >= warm_up * rules.step_s - SAME_INSTANT_S
    return LaterFigures(
        float(paid_s.sum()) / (paid_s.size * rules.step_s), int(begun.moved[is_later].sum()), waits
    )


class _Run(NamedTuple):
    """Everything that a run depends on: every pass over it is the same.

    Events that depart in the first `warm_up` steps are left out of the waiting times.
    """

    strategy: Strategy
    arguments: Mapping[str, Any]
    group: Group
    rules: Rules
    rates: Floats
    warm_up: int = 0

    @property
    def observed_rules(self) -> Rules:
        """The rules, without commits where nothing depends on them."""
        strategy, rules = self.strategy, self.rules
        loses = rules.in_flight_s > 0.0 or rules.incidents.size > 0
        blind = not (strategy.needs or strategy.needs_with or loses)
        return self.rules._replace(commit_s=0.0) if blind else self.rules

    def once(self, intervals: Floats) -> tuple[State, Latencies]:
        """One pass; percentiles are searched in the given intervals."""
        begun = self.strategy.start(self.group, **self.arguments)
        n, p = self.rates.shape
        rules = self.observed_rules
        state = group_state.create(rules, p, self.group.initial_replicas, self.group.topics)
        limit = self.group.wsla_s - 0.5 / self.rules.mu
        capacity = min(8 * n * p + 1024, latency_segments.MOST_STORED) if intervals.size else 1
        latencies = latency_segments.create(intervals, limit, capacity)
        if self.warm_up:
            end_s = self.warm_up * rules.step_s
            first = rules._replace(steps=self.warm_up, end_s=end_s, drained_s=end_s)
            decision_loop.run(begun, first, self.rates, state, latencies)
            latency_segments.forget(latencies)
        decision_loop.run(begun, rules, self.rates, state, latencies)
        return state, latencies

    def with_percentiles(self) -> tuple[State, Latencies, Floats]:
        """Passes until all percentiles are known: one, unless there are too many segments."""
        waits = np.full(SHARES.size, np.nan)
        intervals = np.array([[0.0, self.rules.drained_s + 1.0]])
        windows = np.zeros(SHARES.size, np.int64)
        while True:
            state, latencies = self.once(intervals)
            missing = np.isnan(waits)
            left = group_figures.events_left(state, latencies)
            waits[missing], closer = latency_percentiles.percentiles(
                latencies, left, SHARES[missing], windows
            )
            intervals = closer[np.isnan(waits[missing])]
            if intervals.size == 0:
                return state, latencies, waits
            windows = np.arange(intervals.shape[0])
