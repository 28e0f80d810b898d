"""Best fit by a sorted list of consumers, for large numbers of them.

The ids of the open consumers are sorted by load, lowest first, ties by the highest id first. So
best fit takes the last one with room. The ids are stored on shelves of `_WIDTH` places, so that an
insertion moves only a few neighbours. A full shelf is split in two halves; an empty one is removed.

All of it is one array, ``index``: the number of shelves; the number of rows in use; the row of each
shelf, in order; the number of ids in each row; and the rows themselves. Rows are not reused before
the next iteration. A split takes half a row of insertions, so an iteration, in which each of P
partitions inserts once, needs ``2 P / _WIDTH`` rows in addition to the first.

Strictly, a search over B consumers is O(log B), and a split or the end of a shelf moves up to
``2 B / _WIDTH`` further numbers. These moves occur once in `_HALF` insertions and their numbers are
neighbours in memory, so that even for millions of consumers they cost less than the searches.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import allocating, kernel

_NOWHERE = -1
_WIDTH = 64
_HALF = _WIDTH // 2
# Places in `index`.
_SHELVES, _ROWS, _ORDER = 0, 1, 2


@allocating
def create(partitions: int) -> Ints:
    """Create a list without consumers, with room for as many insertions as partitions."""
    rows = partitions // _HALF + 2
    return np.zeros(_ORDER + rows * (2 + _WIDTH), np.int32)


@kernel
def clear(index: Ints) -> None:
    """Remove all consumers. O(1)."""
    index[_SHELVES] = 0
    index[_ROWS] = 0


@kernel
def best_fit(index: Ints, loads: Floats, speed: float, capacity: float) -> int:
    """Lowest id among those of the highest load with room, or -1. O(log B) for B consumers.

    The rounded ``load + speed`` grows with the load, so consumers with room come before those
    without.
    """
    low, high = 0, int(index[_SHELVES])
    while low < high:
        middle = (low + high) // 2
        fits = loads[index[_start(index, middle)]] + speed <= capacity
        low, high = (middle + 1, high) if fits else (low, middle)
    if low == 0:
        return _NOWHERE
    shelf = low - 1
    start = _start(index, shelf)
    low, high = start + 1, start + int(index[_count(index, shelf)])
    while low < high:
        middle = (low + high) // 2
        fits = loads[index[middle]] + speed <= capacity
        low, high = (middle + 1, high) if fits else (low, middle)
    return int(index[low - 1])


@kernel
def insert(index: Ints, loads: Floats, consumer: int) -> None:
    """Insert a consumer at its place. O(log B), plus moving a few neighbours."""
    if index[_SHELVES] == 0:
        _begin(index)
    shelf, place = _find_place(index, loads, consumer)
    start, count = _start(index, shelf), int(index[_count(index, shelf)])
    for i in range(start + count, place, -1):
        index[i] = index[i - 1]
    index[place] = consumer
    index[_count(index, shelf)] += 1
    if count + 1 == _WIDTH:
        _split(index, shelf)


@kernel
def remove(index: Ints, loads: Floats, consumer: int) -> None:
    """Remove a consumer whose load is unchanged since `insert`. The cost is that of `insert`."""
    shelf, place = _find_place(index, loads, consumer)
    start, count = _start(index, shelf), int(index[_count(index, shelf)])
    for i in range(place, start + count - 1):
        index[i] = index[i + 1]
    index[_count(index, shelf)] -= 1
    if count == 1:
        index[_SHELVES] -= 1
        for i in range(_ORDER + shelf, _ORDER + int(index[_SHELVES])):
            index[i] = index[i + 1]


@kernel
def _rows(index: Ints) -> int:
    return (int(index.shape[0]) - _ORDER) // (2 + _WIDTH)


@kernel
def _count(index: Ints, shelf: int) -> int:
    """Place in `index` of the number of a shelf's consumers."""
    return _ORDER + _rows(index) + int(index[_ORDER + shelf])


@kernel
def _start(index: Ints, shelf: int) -> int:
    """Place in `index` of a shelf's first consumer."""
    return _ORDER + 2 * _rows(index) + int(index[_ORDER + shelf]) * _WIDTH


@kernel
def _before(loads: Floats, one: int, other: int) -> bool:
    return bool(loads[one] < loads[other] or (loads[one] == loads[other] and one > other))


@kernel
def _find_place(index: Ints, loads: Floats, consumer: int) -> tuple[int, int]:
    """Shelf of a consumer, and the place in `index` where it is or has to be inserted."""
    low, high = 1, int(index[_SHELVES])
    while low < high:
        middle = (low + high) // 2
        after = not _before(loads, consumer, index[_start(index, middle)])
        low, high = (middle + 1, high) if after else (low, middle)
    shelf = low - 1
    low = _start(index, shelf)
    high = low + int(index[_count(index, shelf)])
    while low < high:
        middle = (low + high) // 2
        after = _before(loads, index[middle], consumer)
        low, high = (middle + 1, high) if after else (low, middle)
    return shelf, low


@kernel
def _begin(index: Ints) -> None:
    index[_SHELVES] = 1
    index[_ROWS] = 1
    index[_ORDER] = 0
    index[_count(index, 0)] = 0


@kernel
def _split(index: Ints, shelf: int) -> None:
    """Move the second half of a full shelf to a new one behind it."""
    for i in range(_ORDER + int(index[_SHELVES]), _ORDER + shelf + 1, -1):
        index[i] = index[i - 1]
    index[_ORDER + shelf + 1] = index[_ROWS]
    index[_SHELVES] += 1
    index[_ROWS] += 1
    old, new = _start(index, shelf) + _HALF, _start(index, shelf + 1)
    for i in range(_HALF):
        index[new + i] = index[old + i]
    index[_count(index, shelf)] = _HALF
    index[_count(index, shelf + 1)] = _HALF
