"""Estimate of how much speeds change from one iteration to the next, updated at every step."""

from __future__ import annotations

from algorithms.core.arrays import Floats
from algorithms.core.compiled import kernel
from algorithms.core.sorting import ABSENT

UNKNOWN = -1.0
"""Estimate before the first change is observed."""

_MEMORY = 0.9


@kernel
def update(keys: Floats, previous: Floats, volatility: float) -> float:
    """Mean absolute change of a speed in bytes/s, averaged over partitions and iterations.

    The mean over the partitions that are present in both iterations is pooled into the estimate, in
    which the past has the weight `_MEMORY` at each iteration. It is 0 if nothing changes, and
    scales with the unit of speeds. O(P).
    """
    total, count = 0.0, 0
    for j in range(keys.shape[0]):
        if keys[j] != ABSENT and previous[j] != ABSENT:
            total += abs(keys[j] - previous[j])
            count += 1
    if count == 0:
        return volatility
    if volatility == UNKNOWN:
        return total / count
    return _MEMORY * volatility + (1.0 - _MEMORY) * total / count
