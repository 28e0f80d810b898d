"""Rates of partitions, smoothed exponentially."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.portable_math import exp, log

_KEPT_PER_SECOND = 0.95


class Smoothed(NamedTuple):
    """Smoothed rates of P partitions."""

    rates: Floats
    """float64[P]: means in which a rate that was observed s seconds ago has the weight ``0.95 **
    s``, events/s. Until that is more, all observations have the same weight."""
    observations: Longs
    """int64[1]: observations so far."""
    newest: float
    """Weight of the newest observation."""


def create(partitions: int, decision_s: float) -> Smoothed:
    """Rates before the first observation; there is one per decision."""
    newest = 1.0 - exp(decision_s * log(_KEPT_PER_SECOND))
    return Smoothed(np.zeros(partitions), np.zeros(1, np.int64), newest)


@kernel
def observe(smoothed: Smoothed, rates: Floats) -> None:
    """Add an observation. O(P)."""
    smoothed.observations[0] += 1
    weight = max(smoothed.newest, 1.0 / smoothed.observations[0])
    for p in range(rates.shape[0]):
        smoothed.rates[p] += weight * (rates[p] - smoothed.rates[p])


@kernel
def fill_weights(smoothed: Smoothed, weights: Floats) -> float:
    """Fill in the smoothed rates, or ones if there were no events; return the total. O(P)."""
    total = 0.0
    for p in range(weights.shape[0]):
        weights[p] = smoothed.rates[p]
        total += weights[p]
    if total > 0.0:
        return total
    for p in range(weights.shape[0]):
        weights[p] = 1.0
    return float(weights.shape[0])
