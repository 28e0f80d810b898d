"""What the scaler would have asked for: a simulated group in place of Kafka's, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import check_sizes
from algorithms.autoscaling import registry
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation import decision_loop, group_state, latency_segments
from algorithms.simulation.group_rules import rules_of
from live.scaler import count_decisions
from live.scaler.count_decisions import CountDecisions
from live.scaler.scaler_settings import ScalerTarget
from live.scaler.step_rates import Step
from pipeline.base.errors import InputError


class ReplayedCount(NamedTuple):
    """What would have been asked for at one time."""

    time_s: float
    replicas: int
    rate: float
    """Events/s since the decision before."""
    lag: float
    """Records that the group had not committed."""


def replay(
    target: ScalerTarget,
    rates: Floats,
    step_s: float,
    look_s: float,
    replicas: int,
    sizes: tuple[int, ...] | None = None,
) -> Iterator[ReplayedCount]:
    """Each decision that the scaler would have made.

    rates: float64[N, P], events/s in steps of ``step_s``.
    replicas: Replicas at the start.
    sizes: Partitions of each topic, in the order of the columns. Default: one topic.
    Raises InputError if the strategy or a setting is refused.

    The group is simulated as `simulate` does, and follows the strategy's answers; the scaler's own
    decisions are made on what it shows: rates, the lag of the last commits, members.
    """
    one = count_decisions.check(target, look_s)
    each = target.members_per_replica or 1
    own = check_sizes(sizes, rates.shape[1])
    try:
        settings = count_decisions.settings_of(target, one, look_s, own, replicas, each, step_s)
        decisions = CountDecisions(one, settings, own, each)
        state_of_group = count_decisions.started(one, settings, own)
    except AlgorithmError as error:
        raise InputError(f"`strategy` {target.strategy}: {error}") from None
    rules = rules_of(settings, rates.shape[0])
    strategy = registry.get(one.strategy)
    if not (strategy.needs or strategy.needs_with):
        rules = rules._replace(commit_s=0.0)
    state = group_state.create(rules, sum(own), settings.initial_replicas, own)
    latencies = latency_segments.create(np.empty((0, 2)), 0.0, 1)
    consumed = state.commits.advanced if rules.commit_s > 0.0 else state.partitions.consumed
    owners, advanced = state.partitions.owners.copy(), consumed.copy()
    arrived = np.zeros(rates.shape[1])
    for k in range(rates.shape[0] + 1):
        if k > 0:
            # Its decision has seen what is in `observed`, and the owners as the step began.
            until = rules._replace(steps=k, end_s=k * step_s, drained_s=k * step_s)
            decision_loop.run(state_of_group, until, rates, state, latencies)
        if k > 1:
            arrived = arrived + rates[k - 2] * step_s
            seen = Step(
                (k - 1) * step_s,
                step_s,
                rates[k - 2],
                state.observed.lags.copy(),
                owners.astype(np.int32),
                advanced,
                arrived,
            )
            decided = decisions.step(seen)
            if decided is not None:
                yield ReplayedCount(seen.time_s, decided.replicas, decided.rate, decided.lag)
        owners, advanced = state.partitions.owners.copy(), consumed.copy()
