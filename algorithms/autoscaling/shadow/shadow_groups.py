"""Groups that exist only in a model: each follows an expert through the observed past.

Arrivals do not depend on what a strategy decides, so what an expert would have cost is known as
soon as they are observed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.shadow import count_levels
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

_OVER_S = 1e-9
"""Delays and pauses up to which are over."""


class Shadows(NamedTuple):
    """E groups, each with its own number of replicas and its own lag."""

    levels: Longs
    aims: Longs
    """`levels`, `aims`: int64[E]: level of the replicas that serve, and of those that are paid:
    they differ while replicas start."""
    joining: Floats
    """float64[E]: time until new replicas join, seconds."""
    stays: Floats
    moves: Floats
    """`stays`, `moves`: float64[E]: time for which partitions are still not consumed, if they keep
    their member and if they moved, seconds."""
    moved: Floats
    """float64[E]: share of the partitions that moved with the last action."""
    lags: Floats
    """float64[E]: waiting events."""
    losses: Floats
    """float64[E]: replica-seconds so far, with the price of late events and moves."""
    late: Floats
    left: Floats
    """`late`, `left`: float64[L]: late events of the present step, and lag after it, of a group
    without lag and pauses."""
    served: Floats
    """float64[L, 6]: the last group with lag or pauses that was served at each level in the
    present step: its lag, at first -1, its times and moved share; its late events, and lag
    after the step."""


class Prices(NamedTuple):
    """What groups are compared by."""

    late: float
    """Replica-seconds per late event."""
    moves: float
    """Replica-seconds for the move of all partitions."""


def create(experts: int, levels: int, initial: int) -> Shadows:
    """Groups without lag that all have the same level of replicas."""
    return Shadows(
        levels=np.full(experts, initial, np.int64),
        aims=np.full(experts, initial, np.int64),
        joining=np.zeros(experts),
        stays=np.zeros(experts),
        moves=np.zeros(experts),
        moved=np.zeros(experts),
        lags=np.zeros(experts),
        losses=np.zeros(experts),
        late=np.zeros(levels),
        left=np.zeros(levels),
        served=np.zeros((levels, 6)),
    )


@inlined
def moved_share(levels: Levels, before: int, after: int) -> float:
    """Share of the partitions that move from one level to another."""
    n, m = levels.counts[before], levels.counts[after]
    return float(abs(n - m) / max(n, m))


@kernel
def advance(
    shadows: Shadows,
    levels: Levels,
    service: Service,
    delays: Delays,
    prices: Prices,
    events: float,
) -> None:
    """Serve the events of one step in every group. O(E + L M), and O(M) for each that has lag."""
    for level in range(levels.counts.shape[0]):
        late, left = count_levels.step(service, levels, level, events, 0.0, 0.0)
        shadows.late[level] = late
        shadows.left[level] = left
        shadows.served[level, 0] = -1.0
    for e in range(shadows.levels.shape[0]):
        if shadows.aims[e] != shadows.levels[e] and shadows.joining[e] <= _OVER_S:
            _rebalance(shadows, delays, e)
        late = _serve(shadows, levels, service, e, events)
        paid = levels.counts[max(shadows.aims[e], shadows.levels[e])]
        shadows.losses[e] += paid * service.step_s + prices.late * late
        shadows.joining[e] -= service.step_s
        shadows.stays[e] = max(shadows.stays[e] - service.step_s, 0.0)
        shadows.moves[e] = max(shadows.moves[e] - service.step_s, 0.0)


@inlined
def is_settled(shadows: Shadows, e: int) -> bool:
    """Whether no action of a group is under way."""
    return bool(shadows.aims[e] == shadows.levels[e] and shadows.moves[e] <= _OVER_S)


@kernel
def begin(
    shadows: Shadows, levels: Levels, delays: Delays, prices: Prices, e: int, level: int
) -> None:
    """Begin an action of a settled group. With fewer replicas, the others go on at once."""
    before = shadows.levels[e]
    if level == before:
        return
    shadows.aims[e] = level
    shadows.moved[e] = moved_share(levels, before, level)
    shadows.losses[e] += prices.moves * shadows.moved[e]
    grows = level > before
    shadows.joining[e] = delays.startup_s + delays.heartbeat_s if grows else 0.0
    if shadows.joining[e] <= _OVER_S:
        _rebalance(shadows, delays, e)


@inlined
def _rebalance(shadows: Shadows, delays: Delays, e: int) -> None:
    grows = shadows.aims[e] > shadows.levels[e]
    shadows.stays[e] = delays.stays_s
    shadows.moves[e] = delays.moves_s if grows else delays.heartbeat_s + delays.orphaned_s
    shadows.levels[e] = shadows.aims[e]


@inlined
def _serve(shadows: Shadows, levels: Levels, service: Service, e: int, events: float) -> float:
    """Late events of one group in a step."""
    level, lag = shadows.levels[e], shadows.lags[e]
    if lag == 0.0 and shadows.moves[e] <= _OVER_S:
        shadows.lags[e] = shadows.left[level]
        return float(shadows.late[level])
    stays, moves, moved = shadows.stays[e], shadows.moves[e], shadows.moved[e]
    last = shadows.served[level]
    if last[0] == lag and last[1] == stays and last[2] == moves and last[3] == moved:
        shadows.lags[e] = last[5]
        return float(last[4])
    late, left = count_levels.step(service, levels, level, events, lag, stays)
    if moves > stays:
        longer, more = count_levels.step(service, levels, level, events, lag, moves)
        late += moved * (longer - late)
        left += moved * (more - left)
    last[0], last[1], last[2], last[3], last[4], last[5] = lag, stays, moves, moved, late, left
    shadows.lags[e] = left
    return late
