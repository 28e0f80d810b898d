"""All experts in their shadow groups, and the level that follows from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import action_delays
from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.shadow import (
    count_levels,
    late_events,
    learned_late_events,
    loss_guard,
    plan_experts,
    rate_statistics,
    rule_experts,
    shadow_groups,
)
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.autoscaling.shadow.plan_experts import Planners
from algorithms.autoscaling.shadow.rate_statistics import LEVEL, Statistics
from algorithms.autoscaling.shadow.shadow_groups import Prices, Shadows
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

EXPERTS = rule_experts.COUNT + plan_experts.COUNT
"""Number of experts: first the rules, then the planners."""

TEMPERATURE = 150.0
"""Loss, in replica-seconds, by which the weight of an expert falls to 1/e."""

MOST_PATIENCE, USUAL_PAUSE_S = 0.2, 0.2
"""Share of the weight on each side of the median within which the group stays as it is, if
rebalances pause it for long, and the pause in seconds at which it is half of that."""


class Hedge(NamedTuple):
    """State of all experts."""

    levels: Levels
    service: Service
    delays: Delays
    prices: Prices
    statistics: Statistics
    shadows: Shadows
    planners: Planners
    """`levels`, `service`, `delays`, `prices`, `statistics`, `shadows`, `planners`: see the
    types."""
    wanted: Longs
    """int64[E]: levels that the experts ask for, then those that they would aim at with the group's
    lag."""
    weights: Floats
    """float64[L]: weight of the experts that aim at each level."""
    decision_s: float
    """Time between decisions, seconds."""
    patience: float
    """Share of the weight on each side of the median within which the group stays as it is."""
    tolerated_s: float
    """Lag of the group that causes no growth, in seconds of the group's events."""
    recovery_s: float
    """Time in which lag above that should end, seconds."""


def create(group: Group, prices: Prices) -> Hedge:
    """Experts before their first decision, with equal losses."""
    levels, service = count_levels.create(group), late_events.service_of(group)
    delays = action_delays.delays_of(group)
    pause_s = max(delays.stays_s, delays.moves_s)
    initial = int(np.searchsorted(levels.counts[:-1], group.initial_replicas))
    return Hedge(
        levels=levels,
        service=service,
        delays=delays,
        prices=prices,
        statistics=rate_statistics.create(group.decision_s, group.startup_s),
        shadows=shadow_groups.create(EXPERTS, levels.counts.size, initial),
        planners=plan_experts.create(levels, service, delays, group.decision_s),
        wanted=np.zeros(EXPERTS, np.int64),
        weights=np.zeros(levels.counts.size),
        decision_s=group.decision_s,
        patience=MOST_PATIENCE * pause_s / (pause_s + USUAL_PAUSE_S),
        tolerated_s=_tolerated_s(group, pause_s),
        recovery_s=plan_experts.RECOVERY_S + delays.startup_s + delays.heartbeat_s + pause_s,
    )


def _tolerated_s(group: Group, pause_s: float) -> float:
    """A pause makes as much lag as it lasts; where it lasts long, growing makes more than it ends.

    A burst that has just arrived is no lag.
    """
    burst_s = group.step_s if group.burst else 0.0
    return burst_s + pause_s * (1.0 + pause_s / USUAL_PAUSE_S)


@kernel
def decide(hedge: Hedge, rate: float, counts: Floats, lag: float, replicas: int) -> int:
    """Level to go to from a number of replicas, given what was observed since the last decision.

    rate: Mean total rate, events/s.
    counts: float64[W], events of each step.
    lag: Events that wait in the group itself.
    replicas: Replicas asked for last.

    O(E W + 48 L² + L M).
    """
    shadows, levels, planners = hedge.shadows, hedge.levels, hedge.planners
    _serve(hedge, counts)
    learned_late_events.learn(planners.learned)
    rate_statistics.observe(hedge.statistics, rate)
    learned_late_events.look(planners.learned, hedge.statistics, levels, hedge.service)
    usual = max(rate, hedge.statistics.values[LEVEL])
    plan_experts.price_changes(planners, levels, hedge.service, hedge.delays, hedge.prices, usual)
    rules = rule_experts.COUNT
    rule_experts.decide(hedge.statistics, shadows, levels, hedge.service, hedge.wanted)
    now, wanted = shadows.aims[rules:], hedge.wanted[rules:]
    plan_experts.decide(planners, levels, hedge.prices, hedge.decision_s, now, wanted)
    plan_experts.recover(levels, hedge.service, usual, shadows.lags[rules:], wanted)
    for e in range(shadows.levels.shape[0]):
        if shadow_groups.is_settled(shadows, e):
            shadow_groups.begin(shadows, levels, hedge.delays, hedge.prices, e, hedge.wanted[e])
    _aim(hedge, usual, lag)
    loss_guard.weigh(shadows.losses, hedge.wanted, TEMPERATURE, hedge.weights)
    level = count_levels.level_of(levels, replicas)
    return loss_guard.followed(hedge.weights, level, hedge.patience)


@kernel
def _aim(hedge: Hedge, rate: float, lag: float) -> None:
    """Fill in the levels to follow: what experts aim at, or more to end lag that they do not have.

    The group follows no single expert, so it may have lag that the groups of the best experts do
    not have, and that none of them would end.
    """
    shadows, levels = hedge.shadows, hedge.levels
    excess = lag - hedge.tolerated_s * rate
    for e in range(shadows.aims.shape[0]):
        aim, behind = shadows.aims[e], excess - shadows.lags[e]
        if behind > plan_experts.MUCH_LAG_S * hedge.service.mu:
            aim = max(aim, count_levels.least_for(levels, rate + behind / hedge.recovery_s))
        hedge.wanted[e] = aim


@kernel
def _serve(hedge: Hedge, counts: Floats) -> None:
    shadows, running = hedge.shadows, hedge.planners.learned.running
    for level in range(running.shape[0]):
        running[level] = 0.0
    for events in counts:
        shadow_groups.advance(
            shadows, hedge.levels, hedge.service, hedge.delays, hedge.prices, events
        )
        for level in range(running.shape[0]):
            running[level] += (shadows.late[level] + shadows.left[level]) / hedge.decision_s
