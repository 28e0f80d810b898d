"""Candidates of the benchmark: constant groups, and followers of the load.

A group whose members have even loads is one queue that all its replicas serve, so that constant
groups are exact. A follower sets its replicas each minute from the rates of the minutes before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.seeds import derive_seed
from tools.bench.certainty.families import STEP_S, STEPS, Family

LATENCY_S = 30.0
ALLOWED = 0.01
"""Objective: 99 % of the events within 30 s."""

MOST = 160
"""Most replicas."""

SIZES = tuple(range(8, 41)) + tuple(range(42, 81, 2)) + tuple(range(84, MOST + 1, 4))
MARGINS = (1.05, 1.1, 1.2, 1.3, 1.5, 1.8, 2.2, 3.0)
LOOKBACK, HOLD = 3, 20
"""Minutes of which the greatest rate counts, and until replicas may go."""

STARTUPS = (2, 6, 15, 30)
"""Minutes until new replicas of a follower serve: one of these for each workload."""


class Candidates(NamedTuple):
    """All candidates."""

    size: Longs
    """Replicas of constant ones, 0 of followers."""
    margin: Floats
    """Replicas of followers per replica that the rate needs, 0 of constant ones."""


def candidates() -> Candidates:
    """Constant groups, then followers."""
    none = [0.0] * len(SIZES)
    return Candidates(
        np.array([*SIZES, *[0] * len(MARGINS)], np.int64), np.array([*none, *MARGINS])
    )


class Totals(NamedTuple):
    """Totals of k candidates by day, float64[k, days]: events, those late, replica-hours."""

    events: Floats
    late: Floats
    cost: Floats


def startup(family: Family, workload: int) -> int:
    """Minutes until a new replica of a follower serves."""
    return STARTUPS[derive_seed(0, "startup", family.name, workload) % len(STARTUPS)]


def totals(rates: Floats, startup: int, factor: float = 1.0) -> Totals:
    """Run all candidates over consecutive days, float64[days, 1440], times a factor."""
    options = candidates()
    flat = rates.ravel() * factor
    followed = peaks(flat, startup)
    late, cost = np.zeros((2, options.size.size, len(rates)))
    for k, (size, margin) in enumerate(zip(*options, strict=True)):
        serving = replicas(followed, float(size), float(margin))
        _run(flat, serving, late[k])
        cost[k] = serving.reshape(rates.shape).sum(axis=1) * (STEP_S / 3600.0)
    events = np.broadcast_to(rates.sum(axis=1) * factor, late.shape)
    return Totals(events, late, cost)


def peaks(rates: Floats, startup: int) -> Floats:
    """Greatest rate that a follower had in view when it chose the replicas that serve now."""
    window = LOOKBACK + HOLD - 1
    padded = np.concatenate([np.full(startup + window - 1, rates[0]), rates[: -startup or None]])
    greatest: Floats = sliding_window_view(padded, window)[: rates.size].max(axis=1)
    return greatest


def replicas(followed: Floats, size: float, margin: float) -> Floats:
    """Replicas that serve in each step: a constant number, or those of a follower."""
    if size > 0.0:
        return np.full(followed.size, size)
    return np.clip(np.ceil(followed * margin), 1.0, MOST)


@kernel
def _run(rates: Floats, capacity: Floats, late: Floats) -> None:
    """Late events of each day, in what one replica serves in a second, over `STEP_S`."""
    lag = 0.0
    for i in range(rates.size):
        served = capacity[i]
        arriving = rates[i]
        wait = lag / served
        end = wait + (arriving / served - 1.0) * STEP_S
        share = 0.0
        if wait > LATENCY_S and end > LATENCY_S:
            share = 1.0
        elif wait > LATENCY_S:
            share = (wait - LATENCY_S) / (wait - end)
        elif end > LATENCY_S:
            share = (end - LATENCY_S) / (end - wait)
        late[i // STEPS] += arriving * share
        lag = max(lag + (arriving - served) * STEP_S, 0.0)
