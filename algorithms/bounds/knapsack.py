"""Patterns, sets of partitions that fit into one consumer: the best one, and all good ones.

Units are integers, so dynamic programming finds the best pattern, in a time that does not depend on
the values. Its table then bounds the search for all patterns of at least some value.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import allocating, kernel

_ROUNDING = 1e-12


@kernel
def fill(values: Floats, units: Longs, room: int, table: Floats) -> None:
    """Set ``table[k, c]`` to the best value of items k and later in c units. O(n room).

    values: ``float64[n]``, at least 0.
    units: ``int64[n]``, at least 0.
    table: ``float64[n + 1, room + 1]``.
    """
    n = values.shape[0]
    table[n, :] = 0.0
    for k in range(n - 1, -1, -1):
        size, value = units[k], values[k]
        after, here = table[k + 1], table[k]
        for c in range(min(size, room + 1)):
            here[c] = after[c]
        for c in range(size, room + 1):
            here[c] = max(after[c], after[c - size] + value)


@kernel
def trace(units: Longs, room: int, without: int, table: Floats, chosen: Bools) -> None:
    """Mark the items of the best pattern but `without`, -1 for none; of equals, the first."""
    left = room
    for k in range(units.shape[0]):
        chosen[k] = k != without and table[k, left] > table[k + 1, left] and units[k] <= left
        if chosen[k]:
            left -= units[k]


@allocating
def each(values: Floats, units: Longs, starts: Longs, room: int, best: Floats) -> None:
    """Set ``best[i]`` to the best value of items ``starts[i]`` up to ``starts[i + 1]`` in a room.

    The sums are those of `fill`, bit for bit, but only one row of its table is held.
    """
    row = np.zeros(room + 1)
    for i in range(starts.shape[0] - 1):
        if units[starts[i] : starts[i + 1]].sum() <= room:
            for k in range(starts[i + 1] - 1, starts[i] - 1, -1):
                best[i] += values[k]
            continue
        row[:] = 0.0
        for k in range(starts[i + 1] - 1, starts[i] - 1, -1):
            for c in range(room, units[k] - 1, -1):
                row[c] = max(row[c], row[c - units[k]] + values[k])
        best[i] = row[room]


@allocating
def search(
    values: Floats,
    units: Longs,
    room: int,
    table: Floats,
    sizes: Floats,
    limit: float,
    repeats: Bools,
    first: int,
    least: float,
    steps: int,
    buffer: Bools,
) -> tuple[int, int]:
    """All maximal patterns of at least a value, depth first, items taken before they are left out.

    table: As `fill` makes it of the values and units.
    sizes, limit: Speeds, and the load that is allowed: units alone may allow too much.
    repeats: ``bool[n]``, whether an item equals the one before it; then it is only taken if that is
        taken.
    first: Each pattern has one of the items before this; 0 for no such condition.
    least: Least value of a pattern.
    steps: Branches that may be tried, at most.
    Returns: number of patterns, which the last argument, ``bool[m, n]``, then holds, -1 if there
        are more than m or the steps were used up; steps taken.
    """
    n = values.shape[0]
    rest = np.zeros(n + 1)
    for k in range(n - 1, -1, -1):
        rest[k] = rest[k + 1] + sizes[k]
    chosen = np.zeros(n, dtype=np.bool_)
    # State before each item: units and load so far, value, least size left out, items of `first`.
    used, load = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1)
    value, skipped = np.zeros(n + 1), np.full(n + 1, np.inf)
    tried = np.zeros(n + 1, dtype=np.int64)
    count, taken, k = 0, 0, 0
    while k >= 0:
        if tried[k] == 0:
            taken += 1
            if taken > steps:
                return -1, taken
            best = value[k] + table[k, room - used[k]]
            # The least item left out would still fit, whichever items are added.
            open_end = load[k] + rest[k] + skipped[k] <= limit
            without = k == first and first > 0 and not chosen[:first].any()
            if best < least - _ROUNDING or open_end or without:
                k -= 1
                continue
            if k == n:
                if count == buffer.shape[0]:
                    return -1, taken
                buffer[count] = chosen
                count += 1
                k -= 1
                continue
        chosen[k] = tried[k] == 0 and used[k] + units[k] <= room and load[k] + sizes[k] <= limit
        chosen[k] &= not repeats[k] or chosen[k - 1]
        tried[k] += 1
        if tried[k] > 2:
            k -= 1
        elif chosen[k] or tried[k] == 2:
            used[k + 1] = used[k] + units[k] * chosen[k]
            load[k + 1] = load[k] + sizes[k] * chosen[k]
            value[k + 1] = value[k] + values[k] * chosen[k]
            skipped[k + 1] = skipped[k] if chosen[k] else min(skipped[k], sizes[k])
            k += 1
            tried[k] = 0
    return count, taken
