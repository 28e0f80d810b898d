"""Times without events in a workload."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats


def longest_s(rates: Floats, step_s: float) -> float:
    """Longest time in which no event arrives, seconds; 0 if some arrive in every step.

    rates: float64[N, P], events/s in steps of `step_s`.

    O(N P).

    >>> longest_s(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), 60.0)
    120.0
    """
    busy = np.flatnonzero(rates.any(axis=1))
    gaps = np.diff(busy, prepend=-1, append=rates.shape[0]) - 1
    return float(gaps.max()) * step_s
