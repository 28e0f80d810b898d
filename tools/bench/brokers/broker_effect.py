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


def effect(brokers: Sequence[int], latencies_ms: Sequence[float]) -> Effect:
    """Effect by least squares on the logarithm of latency, one value for each cluster.

    The interval is Student's, of independent clusters. Needs three clusters of two sizes.
    """
    fit = stats.linregress(np.asarray(brokers, float), np.log(latencies_ms))
    width = stats.t.ppf((1.0 + LEVEL) / 2.0, len(brokers) - 2) * fit.stderr
    ends = fit.slope, fit.slope - width, fit.slope + width
    return Effect(*(float(np.expm1(value)) for value in ends))
