"""Whether latency changes with the number of brokers, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.95
NO_EFFECT = "open: no effect of brokers"


class Effect(NamedTuple):
    """Relative change of latency per further broker, with its 95 % interval."""

    change: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """In words; open if the interval contains 0."""
        if self.low <= 0.0 <= self.high:
            return NO_EFFECT
        return "latency falls" if self.high < 0.0 else "latency rises"


def effect(
    brokers: Sequence[int], latencies_ms: Sequence[float], clusters: Sequence[int]
) -> Effect:
    """Effect by least squares on the logarithm of latency, with a level for each cluster.

    clusters: Number of the cluster of each value.
    The interval is Student's. Needs more values than clusters and one, and two sizes in a cluster.
    """
    sizes, logs = np.asarray(brokers, np.float64), np.log(latencies_ms)
    levels = np.unique(clusters)
    for level in levels:
        own = np.asarray(clusters) == level
        sizes[own] -= sizes[own].mean()
        logs[own] -= logs[own].mean()
    freedom = len(logs) - len(levels) - 1
    squares = float(sizes @ sizes)
    slope = float(sizes @ logs) / squares
    error = float(np.sqrt(np.sum((logs - slope * sizes) ** 2) / freedom / squares))
    width = float(stats.t.ppf((1.0 + LEVEL) / 2.0, freedom)) * error
    return Effect(*(float(np.expm1(value)) for value in (slope, slope - width, slope + width)))
