"""Which members an overloaded consumer gives away: those of the least total speed."""

from __future__ import annotations

import numpy as np

from algorithms import packing, sorting
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT
from algorithms.compiled import kernel
from algorithms.repair.risk import CAPACITY

EXACT = 8
"""Up to so many members all subsets are tried."""

_ROUNDING = 1e-12


@kernel
def all_overloads(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    members: Ints,
    keys: Floats,
    ranks: Longs,
    spare: Longs,
) -> None:
    """Make every consumer give away members until none is overloaded. O(P log P) at most."""
    limit = terms[CAPACITY] * (1.0 + _ROUNDING)
    for c in range(loads.shape[0]):
        if loads[c] <= limit or links[COUNT, c] < 2:
            continue
        n = _collect(links, c, members)
        if n <= EXACT:
            chosen = _cheapest_subset(speeds, members, n, loads[c], limit)
            for i in range(n):
                if chosen >> i & 1:
                    packing.detach(speeds, links, loads, bits, marks, terms[CAPACITY], members[i])
        else:
            _sort(speeds, members, n, keys, ranks, spare)
            _greedy(speeds, links, loads, bits, marks, terms, members, n, ranks, c, limit)


@kernel
def _collect(links: Ints, c: int, members: Ints) -> int:
    n, j = 0, links[FIRST, c]
    while j >= 0:
        members[n] = j
        n += 1
        j = links[NEXT, j]
    return n


@kernel
def _cheapest_subset(speeds: Floats, members: Ints, n: int, load: float, limit: float) -> int:
    """Bits of the members to give away: least speed, then fewest, then the lowest bits.

    A member beside which the load of the others is lost in rounding is never among them: it costs
    less to give away all others.
    """
    best, best_speed, best_count = 0, np.inf, n + 1
    for subset in range(1, 1 << n):
        speed, count = 0.0, 0
        for i in range(n):
            if subset >> i & 1:
                speed += speeds[members[i]]
                count += 1
        if count == n or (load - speed > limit and count < n - 1):
            continue
        if speed < best_speed or (speed == best_speed and count < best_count):
            best, best_speed, best_count = subset, speed, count
    return best


@kernel
def _sort(speeds: Floats, members: Ints, n: int, keys: Floats, ranks: Longs, spare: Longs) -> None:
    """Places of the members, largest first, equals by index."""
    for i in range(n):
        keys[i] = speeds[members[i]]
    sorting.descending(keys[:n], ranks[:n], spare[:n])


@kernel
def _greedy(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    members: Ints,
    n: int,
    ranks: Longs,
    c: int,
    limit: float,
) -> None:
    """Give away the smallest member that is enough; while none is, the largest."""
    first = 0
    while loads[c] > limit and links[COUNT, c] > 1:
        # The last of the remaining members, largest first, that ends the overload.
        low, high = first, n
        while low < high:
            middle = (low + high) // 2
            enough = loads[c] - speeds[members[ranks[middle]]] <= limit
            low, high = (middle + 1, high) if enough else (low, middle)
        at = max(low - 1, first)
        j = members[ranks[at]]
        packing.detach(speeds, links, loads, bits, marks, terms[CAPACITY], j)
        if speeds[j] > terms[CAPACITY]:
            # The others may have been lost in the rounding of a load with it.
            packing.add_up(speeds, links, loads, bits, terms[CAPACITY], c)
        first = at + 1
