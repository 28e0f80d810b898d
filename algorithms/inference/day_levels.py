"""Level of a day: the log of the capacity that keeps an objective on that day."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

_HALVINGS = 40
"""Of a range that is at most some thousands wide: the rest is below 1e-8 of the level."""


def day_levels(
    rates: Floats, edges: Longs, step_s: float, latency_s: float, late_share: float
) -> Floats:
    """Log of the capacity that keeps the objective on each day.

    rates: float64[N] or float64[N, m], rates per step, events/s: of everything, or of m members
        with the same capacity, such as those of a group with a known placement.
    edges: int64[n + 1], ascending: steps at which days begin, and the end of the last day.
    latency_s, late_share: Objective: at most this share of a day's events is later than the
        latency.
    Returns: float64[n], log of events/s, of one member; -inf for a day without events.

    A member is a queue, first in, first out, in which events arrive evenly within a step; each day
    begins without lag. The share of late events falls with the capacity, so that bisection finds
    it. O(40 N m).

    >>> steady = np.full(100, 50.0)
    >>> levels = day_levels(steady, np.array([0, 60, 100]), 1.0, 0.5, 0.01)
    >>> bool((abs(np.exp(levels) - 50.0) < 1.0).all())
    True
    """
    table = np.ascontiguousarray(rates.reshape(len(rates), -1), np.float64)
    for name, value in (("step_s", step_s), ("latency_s", latency_s)):
        if not (math.isfinite(value) and value > 0.0):
            raise InvalidParameterError(f"{name} must be finite and above 0 s (got {value})")
    if not 0.0 <= late_share < 1.0:
        raise InvalidParameterError(f"late_share must be at least 0 and below 1 (got {late_share})")
    bounds = np.ascontiguousarray(edges, np.int64)
    if bounds.size < 2 or (np.diff(bounds) <= 0).any() or bounds[0] < 0 or bounds[-1] > len(table):
        raise InvalidParameterError(f"edges must ascend within 0 and {len(table)} steps")
    pairs = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    return np.array([_level(table, *pair, step_s, latency_s, late_share) for pair in pairs])


def _level(
    rates: Floats, start: int, stop: int, step_s: float, latency_s: float, late_share: float
) -> float:
    day = rates[start:stop]
    high = float(day.max())
    if high <= 0.0:
        return -math.inf
    low = high / 1e4
    if late_share_of(day, low, step_s, latency_s) <= late_share:
        return math.log(low)
    return math.log(_bisected(day, low, high, step_s, latency_s, late_share))


@kernel
def _bisected(
    rates: Floats, low: float, high: float, step_s: float, latency_s: float, late_share: float
) -> float:
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        if late_share_of(rates, middle, step_s, latency_s) > late_share:
            low = middle
        else:
            high = middle
    return high


@kernel
def late_share_of(rates: Floats, capacity: float, step_s: float, latency_s: float) -> float:
    """Share of the events that wait longer than a latency, of members with a capacity each."""
    late = 0.0
    events = 0.0
    for j in range(rates.shape[1]):
        wait = 0.0
        for i in range(rates.shape[0]):
            arriving = rates[i, j]
            events += arriving
            slope = arriving / capacity - 1.0
            end = wait + slope * step_s
            share = 0.0
            if wait > latency_s and end > latency_s:
                share = 1.0
            elif wait > latency_s:
                share = (wait - latency_s) / (-slope * step_s)
            elif end > latency_s:
                share = (end - latency_s) / (slope * step_s)
            late += arriving * share
            wait = max(end, 0.0)
    return late / events if events > 0.0 else 0.0
