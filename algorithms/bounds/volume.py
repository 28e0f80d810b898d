"""The bound L2 of Martello and Toth: consumers that the sizes alone require."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import TOLERANCE, Floats, check_capacity, check_rates
from algorithms.core.compiled import allocating

_ROUNDING = 1e-9
"""Consumers by which rounding alone may make a sum of speeds too high."""


def l2(speeds: Floats, capacity: float) -> int:
    """Lower bound of the consumers of one iteration.

    speeds: float64[P], write speeds in bytes/s, NaN = absent.
    capacity: Packing capacity C, bytes/s.
    Returns: no valid assignment has fewer consumers; 0 where no partition is present.

    L2 of Martello and Toth, Discrete Applied Mathematics 28, 1990: for every α up to C/2,
    partitions above C - α are alone, the others above C/2 are in different consumers, whose free
    capacity takes as much of the partitions from α to C/2 as it can by volume. An assignment is
    valid if `algorithms.scores.assignment_scores.audit` finds it valid, so C is raised by a
    relative 1e-9. Partitions above C need a consumer each, which has no room even for partitions
    with speed 0; those need a consumer only if there is no other. O(P log P).

    >>> l2(np.array([6.0, 6.0, 5.0, 3.0, np.nan]), 10.0)
    3
    """
    speeds = check_rates(np.atleast_2d(speeds))[0]
    limit = check_capacity(capacity) * (1.0 + TOLERANCE)
    present = speeds[~np.isnan(speeds)]
    if not present.size:
        return 0
    within = present[present <= limit]
    alone = int(present.size - within.size)
    if not within.size:
        return alone
    least = math.ceil(_l2(-np.sort(-within), limit) - _ROUNDING)
    return alone + max(1, least)


@allocating
def _l2(sizes: Floats, limit: float) -> float:
    """Greatest bound over all α, before it is rounded up; sizes descend and each fits."""
    n = sizes.shape[0]
    half = 0
    while half < n and sizes[half] > limit / 2.0:
        half += 1
    sums = np.zeros(n + 1)
    for j in range(n):
        sums[j + 1] = sums[j] + sizes[j]
    best = float(half)
    # α falls over the sizes from C/2 down, and with it the number of partitions above C - α.
    large = half
    for last in range(half, n):
        # The last of equal sizes includes them all.
        if last + 1 < n and sizes[last + 1] == sizes[last]:
            continue
        while large > 0 and sizes[large - 1] <= limit - sizes[last]:
            large -= 1
        room = (half - large) * limit - (sums[half] - sums[large])
        small = sums[last + 1] - sums[half]
        best = max(best, half + max(0.0, (small - room) / limit))
    return best
