"""Planners: replicas by the late events to expect, and by the cost of changing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.shadow import (
    count_levels,
    late_events,
    learned_late_events,
    shadow_groups,
)
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.autoscaling.shadow.learned_late_events import FEATURES, HORIZONS, Learned
from algorithms.autoscaling.shadow.shadow_groups import Prices
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

CAUTIONS = (1.0, 2.5)
"""Factors of the late events that are expected."""

INERTIAS = (0.1, 0.3, 1.0)
"""Factors of the cost of changing."""

COUNT = len(FEATURES) * HORIZONS * len(CAUTIONS) * len(INERTIAS)
"""Number of planners."""

MUCH_LAG_S = 0.25
"""Lag, in seconds of one member's work, from which planners think of it."""

RECOVERY_S = 4.0
"""Time in which lag should end, seconds."""

_STEPS_AFTER_PAUSE = 3


class Planners(NamedTuple):
    """What planners have learned, and the costs of their plans.

    Attributes
    ----------
    learned : Learned
        The late events to expect.
    work : float64[48, L]
        Work function of each planner: the least cost of the past if it ends at a level.
    next_work : float64[L]
        Space for the next one.
    changes : float64[L, L]
        Cost of changing from one level to another.
    pauses : float64[3, L]
        Events that a pause makes late: of partitions that stay, that move and whose member leaves.
    """

    learned: Learned
    work: Floats
    next_work: Floats
    changes: Floats
    pauses: Floats


def create(levels: Levels, service: Service, delays: Delays, decision_s: float) -> Planners:
    """Planners that have seen nothing."""
    n = levels.counts.size
    return Planners(
        learned=learned_late_events.create(levels, service, delays, decision_s),
        work=np.zeros((COUNT, n)),
        next_work=np.zeros(n),
        changes=np.zeros((n, n)),
        pauses=np.zeros((3, n)),
    )


@kernel
def price_changes(
    planners: Planners,
    levels: Levels,
    service: Service,
    delays: Delays,
    prices: Prices,
    rate: float,
) -> None:
    """Fill in what a change from each level to each other one costs at a rate. O(L M + L²)."""
    events = rate * service.step_s
    for level in range(levels.counts.shape[0]):
        shares = levels.shares[level, : levels.counts[level]]
        planners.pauses[0, level] = _late_by(service, shares, events, delays.stays_s)
        planners.pauses[1, level] = _late_by(service, shares, events, delays.moves_s)
        orphaned = delays.heartbeat_s + delays.orphaned_s
        planners.pauses[2, level] = _late_by(service, shares, events, orphaned)
    for before in range(levels.counts.shape[0]):
        for after in range(levels.counts.shape[0]):
            moved = shadow_groups.moved_share(levels, before, after)
            more = levels.counts[after] - levels.counts[before]
            stays = planners.pauses[0, after] if more != 0 else 0.0
            waits = planners.pauses[1 if more > 0 else 2, after]
            late = stays + moved * max(waits - stays, 0.0)
            starting = max(more, 0) * (delays.startup_s + delays.heartbeat_s)
            planners.changes[before, after] = prices.late * late + starting + prices.moves * moved


@kernel
def _late_by(service: Service, shares: Floats, events: float, pause_s: float) -> float:
    """Events that are late because of a pause, also after it."""
    if pause_s <= 0.0:
        return 0.0
    usual, rising = late_events.step(service, shares, events, 0.0, 0.0)
    late, lag, after = 0.0, 0.0, 0
    while after < _STEPS_AFTER_PAUSE:
        now, lag = late_events.step(service, shares, events, lag, pause_s)
        late += now - usual
        if pause_s <= 0.0:
            after += 1
        if pause_s <= service.step_s and lag <= rising:
            break
        pause_s = max(pause_s - service.step_s, 0.0)
    return max(late, 0.0)


@kernel
def decide(
    planners: Planners, levels: Levels, prices: Prices, decision_s: float, now: Longs, wanted: Longs
) -> None:
    """Fill in the level that each planner asks for.

    Parameters
    ----------
    planners, levels, prices, decision_s
        What they know.
    now : int64[48]
        Levels of their groups.
    wanted : int64[48]
        Filled.

    Notes
    -----
    The work function of a metrical task system (Borodin, Linial, Saks 1992). Planners are ordered
    by feature, horizon, caution and inertia. O(48 L²).
    """
    e = 0
    for f in range(len(FEATURES)):
        for horizon in range(HORIZONS):
            for caution in CAUTIONS:
                for inertia in INERTIAS:
                    _work(
                        planners, levels, prices.late * caution, inertia, f, horizon, e, decision_s
                    )
                    wanted[e] = _cheapest_level(planners, inertia, e, now[e])
                    e += 1


@kernel
def recover(levels: Levels, service: Service, rate: float, lags: Floats, wanted: Longs) -> None:
    """Let planners whose groups have lag ask for as many replicas as end it soon. O(48 log L)."""
    for e in range(wanted.shape[0]):
        if lags[e] > MUCH_LAG_S * service.mu:
            enough = count_levels.least_for(levels, rate + lags[e] / RECOVERY_S)
            wanted[e] = max(wanted[e], enough)


@kernel
def _work(
    planners: Planners,
    levels: Levels,
    price: float,
    inertia: float,
    f: int,
    horizon: int,
    e: int,
    decision_s: float,
) -> None:
    """Add the present decision to a work function, whose least value is then 0."""
    work, following = planners.work[e], planners.next_work
    least = np.inf
    for level in range(work.shape[0]):
        cheapest = np.inf
        for before in range(work.shape[0]):
            cheapest = min(cheapest, work[before] + inertia * planners.changes[before, level])
        late = learned_late_events.expected_late(planners.learned, f, horizon, level)
        following[level] = cheapest + decision_s * (levels.counts[level] + price * late)
        least = min(least, following[level])
    for level in range(work.shape[0]):
        work[level] = following[level] - least


@kernel
def _cheapest_level(planners: Planners, inertia: float, e: int, now: int) -> int:
    """Level of least work and cost of changing to it; ties: the present one, the lowest."""
    best, least = now, planners.work[e, now]
    for level in range(planners.work.shape[1]):
        cost = planners.work[e, level] + inertia * planners.changes[now, level]
        if cost < least:
            best, least = level, cost
    return best
