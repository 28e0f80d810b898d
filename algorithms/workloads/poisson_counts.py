"""Poisson arrivals: the number of events of each step and partition is drawn."""

from __future__ import annotations

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.arrays import Floats, check_seed
from algorithms.core.compiled import kernel

_ARRIVALS = 2
"""Kind of random numbers, for `keyed_draws.key`."""


def draw(rates: Floats, step_s: float, seed: int) -> Floats:
    """Draw a workload whose mean rates are given.

    rates: float64[N, P], mean rates in events/s, finite and at least 0.
    seed: Seed of the workload, ``0 .. 2**63 - 1``.
    Returns: float64[N, P], rates in events/s: integer counts per step, divided by its length.

    A count depends on the seed, its step and its partition only: more steps or partitions do not
    change the others. O(N P).

    >>> draw(np.full((2, 3), 4.0), 1.0, seed=1).tolist()
    [[4.0, 4.0, 9.0], [1.0, 1.0, 3.0]]
    """
    drawn = np.empty_like(rates)
    _draw(np.require(rates, requirements=["C", "W"]), step_s, check_seed(seed), drawn)
    return drawn


@kernel
def _draw(rates: Floats, step_s: float, seed: int, drawn: Floats) -> None:
    for k in range(rates.shape[0]):
        for p in range(rates.shape[1]):
            cell = keyed_draws.key(seed, _ARRIVALS, k, p)
            drawn[k, p] = keyed_draws.poisson(cell, rates[k, p] * step_s) / step_s
