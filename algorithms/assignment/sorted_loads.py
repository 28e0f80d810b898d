"""Consumers found by best fit in a sorted list, for large numbers of them.

The ids of the open consumers stand in the order of their loads, lowest first, equal loads by the
highest id first: the last one with room is the one to take. They stand on shelves of `_WIDTH`
places, so that to put one in its place moves a few neighbours only. A shelf that is full is
split in two halves, one that is empty is taken away.

All of it is one array, ``index``: how many shelves there are; how many rows of places are in
use; the row of each shelf, in order; how many ids each row holds; and the rows themselves. Rows
are not used again before the next iteration. A split takes half a row of insertions, so an
iteration, in which each of P partitions inserts once, needs ``2 P / _WIDTH`` of them beside the
first.

Strictly, a search over B consumers is O(log B), and a split or the end of a shelf moves up to
``2 B / _WIDTH`` further numbers. These come once in `_HALF` insertions and are neighbours in
memory, which makes them cheaper than the searches for millions of consumers.
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
    """Room for as many insertions as partitions; no consumer is open."""
    rows = partitions // _HALF + 2
    return np.zeros(_ORDER + rows * (2 + _WIDTH), np.int32)


@kernel
def clear(index: Ints) -> None:
    """Take all consumers away. O(1)."""
    index[_SHELVES] = 0
    index[_ROWS] = 0


@kernel
def best_fit(index: Ints, loads: Floats, speed: float, capacity: float) -> int:
    """Lowest id among those of the highest load with room, or -1. O(log B) for B consumers.

    ``load + speed``, rounded as it is, grows with the load: who has room stands before who has
    none.
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
    """Put a consumer in its place. O(log B), and a few neighbours to move."""
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
    """Take a consumer away, whose load is still the one it was put in with. O(log B), likewise."""
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
    """Where the number of a shelf's consumers is kept."""
    return _ORDER + _rows(index) + int(index[_ORDER + shelf])


@kernel
def _start(index: Ints, shelf: int) -> int:
    """Where a shelf's consumers begin."""
    return _ORDER + 2 * _rows(index) + int(index[_ORDER + shelf]) * _WIDTH


@kernel
def _before(loads: Floats, one: int, other: int) -> bool:
    """Whether a consumer stands before another one."""
    return bool(loads[one] < loads[other] or (loads[one] == loads[other] and one > other))


@kernel
def _find_place(index: Ints, loads: Floats, consumer: int) -> tuple[int, int]:
    """Shelf of a consumer, and where in `index` it stands or has to be put."""
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
    """Set up one empty shelf."""
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
