"""Replicas by the rules and planners that would have been cheapest on the observed past."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import smoothed_rates, totals
from algorithms.autoscaling.dispatch import COUNT, Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.shadow import count_levels, hedge, rehearsal
from algorithms.autoscaling.shadow.hedge import Hedge
from algorithms.autoscaling.shadow.shadow_groups import Prices
from algorithms.autoscaling.smoothed_rates import Smoothed
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

SPREAD_FOR_S = 16.0
"""Time for which the shares of members in a packing are used, in seconds."""

_SAME_INSTANT_S = 1e-9


class ShadowHedge(NamedTuple):
    """State of the strategy ``shadow_hedge``."""

    partitions: int
    hedge: Hedge
    """The experts."""
    smoothed: Smoothed
    """Rates by which partitions are packed."""
    weights: Floats
    """float64[P]: the same, or ones without events."""
    spread_at: Floats
    """float64[1]: when the partitions were packed last, seconds."""


def check(group: Group, *, w: float, move_cost: float) -> None:
    """Raise nothing: no arguments contradict each other, and a rehearsal takes 0.1 s."""


def start(group: Group, *, w: float, move_cost: float) -> ShadowHedge:
    """Start ``shadow_hedge``, the count of which is meant for a placement by rate.

    Arrivals do not depend on the decisions, so every expert can be followed in a group of its own,
    which exists in a model only. The count goes towards the median of the experts' counts, weighted
    by ``exp(-loss / 150)``; the loss of an expert is the replica-seconds that its group has paid,
    plus `w` for each of its late events and `move_cost` for each moved partition. If rebalances
    pause the group, its count stays while it is near the median; see `shadow.loss_guard`. Lag of
    the group that an expert's group does not have counts as if the expert had to end it.

    w: Price of a late event, in replica-seconds.
    move_cost: Price of a moved partition, in replica-seconds.

    330 rules, among them headroom, and 48 planners; see `algorithms.autoscaling.shadow`. Of more
    than 32 possible counts, 32 are considered. Nothing is random. O(P) per decision and O(378 W +
    48 L² + L M) for W steps, L counts and M members; O(P L log M) once in 16 s.
    """
    prices = Prices(late=w, moves=move_cost * group.partitions)
    return ShadowHedge(
        partitions=group.partitions,
        hedge=rehearsal.rehearsed(group, prices),
        smoothed=smoothed_rates.create(group.partitions, group.decision_s),
        weights=np.empty(group.partitions),
        spread_at=np.full(1, -np.inf),
    )


@decides(ShadowHedge)
@kernel
def _decide(state: ShadowHedge, seen: Seen, after: Longs) -> tuple[int, int]:
    smoothed_rates.observe(state.smoothed, seen.rates)
    if seen.time >= state.spread_at[0] + SPREAD_FOR_S - _SAME_INSTANT_S:
        total = smoothed_rates.fill_weights(state.smoothed, state.weights)
        count_levels.spread(state.hedge.levels, state.weights, total)
        state.spread_at[0] = seen.time
    rate, lag = totals.total(seen.rates), totals.total(seen.lags)
    level = hedge.decide(state.hedge, rate, seen.counts, lag, seen.replicas)
    return int(state.hedge.levels.counts[level]), COUNT
