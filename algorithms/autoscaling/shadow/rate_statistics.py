"""Statistics of the total rate of the past, from which rules and planners decide."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.portable_math import exp, log

WINDOWS_S = (1.0, 3.0, 8.0, 20.0, 45.0, 120.0, 300.0)
"""Windows of the maxima, in seconds."""

COUNT = len(WINDOWS_S) + 4
"""Number of statistics: the maxima, then those below."""

LEVEL, SLOW_LEVEL, FORECAST, UPPER_LEVEL = range(len(WINDOWS_S), COUNT)

_KEPT_LEVEL, _KEPT_SLOWLY, _KEPT_TREND = 0.7, 0.95, 0.9
"""What is left of an observation after a second: in the level, in the slow level and the mean
distance from the level, and in the trend."""

_DISTANCES = 2.5
_LEAD_S = 3.0

_TREND, _DISTANCE = 0, 1


class Statistics(NamedTuple):
    """Statistics of a rate that is observed at every decision."""

    values: Floats
    """float64[11]: maxima over `WINDOWS_S`; exponential means: the level and the slow level; a
    forecast, the greater of the rate and the level plus its trend; an upper level, the greater of
    both levels plus 2.5 times the mean distance of the rate from the level. In events/s."""
    further: Floats
    """float64[2]: trend of the level, events/s per second, and mean distance of the rate from
    it."""
    past: Floats
    """float64[R]: the last R rates, in a ring."""
    seen: Longs
    """int64[1]: rates so far."""
    windows: Longs
    """int64[7]: windows of the maxima, in decisions."""
    newest: Floats
    """float64[3]: weight of a new observation in the level, the slow level and distance, and the
    trend."""
    decision_s: float
    lead_s: float
    """`decision_s`, `lead_s`: time between decisions, and how far the forecast looks ahead, in
    seconds."""


def create(decision_s: float, startup_s: float) -> Statistics:
    """Statistics before the first observation."""
    windows = np.array([max(math.ceil(w / decision_s), 1) for w in WINDOWS_S])
    kept = (_KEPT_LEVEL, _KEPT_SLOWLY, _KEPT_TREND)
    return Statistics(
        values=np.zeros(COUNT),
        further=np.zeros(2),
        past=np.zeros(int(windows[-1])),
        seen=np.zeros(1, np.int64),
        windows=windows,
        newest=np.array([1.0 - exp(decision_s * log(share)) for share in kept]),
        decision_s=decision_s,
        lead_s=startup_s + _LEAD_S,
    )


@kernel
def observe(statistics: Statistics, rate: float) -> None:
    """Add the rate of the last decision. O(R)."""
    past = statistics.past
    past[statistics.seen[0] % past.shape[0]] = rate
    _smooth(statistics, rate)
    statistics.seen[0] += 1
    _find_maxima(statistics)


@kernel
def _find_maxima(statistics: Statistics) -> None:
    past, seen = statistics.past, statistics.seen[0]
    greatest, age = 0.0, 0
    for i in range(statistics.windows.shape[0]):
        while age < min(statistics.windows[i], seen):
            greatest = max(greatest, past[(seen - 1 - age) % past.shape[0]])
            age += 1
        statistics.values[i] = greatest


@kernel
def _smooth(statistics: Statistics, rate: float) -> None:
    values, further, newest = statistics.values, statistics.further, statistics.newest
    if statistics.seen[0] == 0:
        values[LEVEL] = rate
        values[SLOW_LEVEL] = rate
    distance = abs(rate - values[LEVEL])
    change = newest[0] * (rate - values[LEVEL])
    values[LEVEL] += change
    values[SLOW_LEVEL] += newest[1] * (rate - values[SLOW_LEVEL])
    further[_DISTANCE] += newest[1] * (distance - further[_DISTANCE])
    further[_TREND] += newest[2] * (change / statistics.decision_s - further[_TREND])
    ahead = max(rate, values[LEVEL]) + further[_TREND] * statistics.lead_s
    values[FORECAST] = max(ahead, 0.0)
    upper = max(values[LEVEL], values[SLOW_LEVEL])
    values[UPPER_LEVEL] = upper + _DISTANCES * further[_DISTANCE]


@kernel
def distance(statistics: Statistics) -> float:
    """Mean distance of the rate from its level, events/s."""
    return float(statistics.further[_DISTANCE])
