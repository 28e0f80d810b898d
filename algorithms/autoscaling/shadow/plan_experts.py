"""Planners: replicas by the late events to expect, and by the cost of changing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.action_delays import Delays
from algorithms.autoscaling.shadow import (
    count_levels,
    learned_late_events,
)
from algorithms.autoscaling.shadow.count_levels import Levels
from algorithms.autoscaling.shadow.late_events import Service
from algorithms.autoscaling.shadow.learned_late_events import FEATURES, HORIZONS, Learned
from algorithms.autoscaling.shadow.shadow_groups import Prices
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

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
    """What planners have learned, and the costs of their plans."""

    learned: Learned
    """The late events to expect."""
    work: Floats
    """float64[48, L]: work function of each planner: the least cost of the past if it ends at a
    level."""
    next_work: Floats
    """float64[L]: space for the next one."""
    perceived: Floats
    """float64[3, L, L]: cost of changing from one level to another, times each of `INERTIAS`."""
    moved: Floats
    starting: Floats
    """`moved`, `starting`: float64[L, L]: share of the partitions that move from one level to
    another, and replica-seconds for which new replicas start."""
    late: Floats
    """float64[L]: space for the late events/s to expect at each level."""
    pauses: Floats
    """float64[3, L]: events that a pause makes late: of partitions that stay, that move and whose
    member leaves."""


def create(levels: Levels, service: Service, delays: Delays, decision_s: float) -> Planners:
    """Planners that have seen nothing."""
    counts, n = levels.counts, levels.counts.size
    more = counts[None, :] - counts[:, None]
    return Planners(
        learned=learned_late_events.create(levels, service, delays, decision_s),
        work=np.zeros((COUNT, n)),
        next_work=np.zeros(n),
        perceived=np.zeros((len(INERTIAS), n, n)),
        moved=np.abs(more) / np.maximum(counts[:, None], counts[None, :]),
        starting=np.maximum(more, 0) * (delays.startup_s + delays.heartbeat_s),
        late=np.zeros(n),
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
        stays = _late_by(service, levels, level, events, delays.stays_s)
        planners.pauses[0, level] = stays
        planners.pauses[1, level] = stays
        if delays.moves_s != delays.stays_s:
            planners.pauses[1, level] = _late_by(service, levels, level, events, delays.moves_s)
        orphaned = delays.heartbeat_s + delays.orphaned_s
        planners.pauses[2, level] = _late_by(service, levels, level, events, orphaned)
    for before in range(levels.counts.shape[0]):
        _price(planners, prices, before, 0, before, 2)
        _price(planners, prices, before, before + 1, levels.counts.shape[0], 1)


@inlined
def _price(
    planners: Planners, prices: Prices, before: int, first: int, end: int, kind: int
) -> None:
    """Fill in what changes from one level to some others cost, in which moves pause by a kind."""
    moved, starting = planners.moved[before], planners.starting[before]
    usual, waits = planners.pauses[0], planners.pauses[kind]
    for i in range(len(INERTIAS)):
        inertia, perceived = INERTIAS[i], planners.perceived[i, before]
        for after in range(first, end):
            late = usual[after] + moved[after] * max(waits[after] - usual[after], 0.0)
            cost = prices.late * late + starting[after] + prices.moves * moved[after]
            perceived[after] = inertia * cost


@kernel
def _late_by(service: Service, levels: Levels, level: int, events: float, pause_s: float) -> float:
    """Events that are late because of a pause, also after it."""
    if pause_s <= 0.0:
        return 0.0
    usual, rising = count_levels.step(service, levels, level, events, 0.0, 0.0)
    late, lag, after = 0.0, 0.0, 0
    while after < _STEPS_AFTER_PAUSE:
        now, lag = count_levels.step(service, levels, level, events, lag, pause_s)
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

    Both arrays are int64[48]: the levels of their groups, and the one that is filled.

    The work function of a metrical task system (Borodin, Linial, Saks 1992). Planners are ordered
    by feature, horizon, caution and inertia. O(48 L²).
    """
    e = 0
    for f in range(len(FEATURES)):
        for horizon in range(HORIZONS):
            for level in range(planners.late.shape[0]):
                planners.late[level] = learned_late_events.expected_late(
                    planners.learned, f, horizon, level
                )
            for caution in CAUTIONS:
                for i in range(len(INERTIAS)):
                    _work(planners, levels, prices.late * caution, i, e, decision_s)
                    wanted[e] = _cheapest_level(planners, i, e, now[e])
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
    i: int,
    e: int,
    decision_s: float,
) -> None:
    """Add the present decision to a work function, whose least value is then 0."""
    work, following = planners.work[e], planners.next_work
    for level in range(work.shape[0]):
        following[level] = np.inf
    for before in range(work.shape[0]):
        so_far, changes = work[before], planners.perceived[i, before]
        for level in range(work.shape[0]):
            cost = so_far + changes[level]
            following[level] = cost if cost < following[level] else following[level]
    least = np.inf
    for level in range(work.shape[0]):
        following[level] += decision_s * (levels.counts[level] + price * planners.late[level])
        least = min(least, following[level])
    for level in range(work.shape[0]):
        work[level] = following[level] - least


@kernel
def _cheapest_level(planners: Planners, i: int, e: int, now: int) -> int:
    """Level of least work and cost of changing to it; ties: the present one, the lowest."""
    best, least = now, planners.work[e, now]
    for level in range(planners.work.shape[1]):
        cost = planners.work[e, level] + planners.perceived[i, now, level]
        if cost < least:
            best, least = level, cost
    return best
