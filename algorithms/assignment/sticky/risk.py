"""Expected cost of a consumer in the next iteration, because it may overflow.

A consumer of m members whose speeds change by about σ overflows with a probability that depends on
its free capacity in units of ``σ sqrt(m)``. It then has to evict the cheapest member that ends the
overload. The product of both is its risk, in bytes/s. The probability is a cubic that follows the
normal distribution. It uses no library function, so results are bit-identical everywhere.
"""

from __future__ import annotations

import numpy as np

from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT
from algorithms.assignment.sticky.state import State
from algorithms.core.compiled import inlined, kernel

SPREAD, HORIZON, PRICE, FIRST_COUNT = 0, 1, 2, 3
TERMS = 4
"""Places in ``terms``, and their number: the changes that a risk allows for, in bytes/s; the weight
of a risk; the price of a consumer in bytes/s; and whether fewest consumers come first."""

_LOOK = 16
_TYPICAL = 0.25


@inlined
def of(state: State, c: int, without: int, extra: int) -> float:
    """Risk of a consumer over the horizon, if it lost and gained a member (-1: none)."""
    speeds, links, loads, terms = state.speeds, state.links, state.loads, state.terms
    m, load = links[COUNT, c], loads[c]
    if without >= 0:
        m -= 1
        load -= speeds[without]
    if extra >= 0:
        m += 1
        load += speeds[extra]
    if m < 2 or terms[SPREAD] <= 0.0:
        return 0.0
    width = terms[SPREAD] * np.sqrt(m)
    excess = load - state.capacity
    if excess <= -width:
        return 0.0
    t = min(excess / width, 1.0)
    chance = 0.5 + 0.75 * t - 0.25 * t * t * t
    need = max(excess, 0.0) + _TYPICAL * width
    return float(terms[HORIZON] * chance * _cover(state, c, without, extra, need))


@inlined
def _cover(state: State, c: int, without: int, extra: int, need: float) -> float:
    """Speed of the smallest member that is at least `need`, else of the largest."""
    speeds, links = state.speeds, state.links
    largest, cover = 0.0, np.inf
    if extra >= 0:
        largest = speeds[extra]
        if largest >= need:
            cover = largest
    j, looked = links[FIRST, c], 0
    while j >= 0 and looked < _LOOK:
        if j != without:
            largest = max(largest, speeds[j])
            if need <= speeds[j] < cover:
                cover = speeds[j]
            looked += 1
        j = links[NEXT, j]
    return float(cover if cover < np.inf else largest)


@inlined
def rise(state: State, c: int, extra: int) -> float:
    """Increase of a consumer's risk with one more member."""
    more = of(state, c, -1, extra)
    if more == 0.0:
        return 0.0
    return more - of(state, c, -1, -1)


@kernel
def total(state: State) -> float:
    """Risk of all consumers together. O(P)."""
    links, loads = state.links, state.loads
    risk = 0.0
    for c in range(loads.shape[0]):
        if links[COUNT, c] > 1:
            risk += of(state, c, -1, -1)
    return risk
