"""Least cost of a chain of replica counts whose neighbours share a simple price."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.compiled import allocating


@allocating
def least_cost(costs: Floats, first: Floats, kept: float, up: float) -> float:
    """Least sum of the costs of K counts and of the prices between neighbours.

    costs: float64[K, R], cost of each element of the chain at each of R counts ``0 .. R-1``; K is
        at least 1.
    first: float64[R], further cost of the first count.
    kept: Price per replica that two neighbours have in common.
    up: Price per replica that the second one has more than the first.
    Returns: the minimum over all chains ``n_0 .. n_(K-1)`` of ``first[n_0] + sum costs[k, n_k] +
        kept sum min(n_(k-1), n_k) + up sum max(n_k - n_(k-1), 0)``.

    Dynamic programming with running minima from above and below: O(K R).
    """
    steps, n = costs.shape
    value, after = first + costs[0], np.empty(n)
    for k in range(1, steps):
        best = np.inf
        for j in range(n - 1, -1, -1):
            best = min(best, value[j])
            after[j] = best + kept * j
        best = np.inf
        for j in range(n):
            after[j] = min(after[j], best + up * j)
            best = min(best, value[j] + (kept - up) * j)
        for j in range(n):
            value[j] = after[j] + costs[k, j]
    return float(value.min())
