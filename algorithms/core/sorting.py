"""Partitions and consumers sorted by a key, largest first.

Speeds and loads are mostly spread evenly between 0 and the greatest of them. Distributed to as many
buckets of equal width as there are keys, they are nearly in order, and an insertion sort finishes
in O(P). Where they are clustered, so that it moves too many, blocks of them are sorted and merged
instead.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

ABSENT = -1.0
"""Key of an absent item: below every speed and load, so that it is sorted to the end."""

_BLOCK = 32
# Moves per key from which merging is faster, as measured.
_MOVES = 4


@kernel
def descending(keys: Floats, order: Longs, spare: Longs) -> None:
    """Fill `order` with the indices of the keys, largest key first, ties by the lower index.

    O(P) for keys that are spread evenly, O(P log P) for any. `spare` is scratch space for as many
    indices.
    """
    if _deal(keys, order, spare) and _insert(keys, order):
        return
    _sort_blocks(keys, order, spare)


@kernel
def _deal(keys: Floats, order: Longs, places: Longs) -> bool:
    """Order indices by bucket, largest keys first; return whether there are buckets."""
    n = keys.shape[0]
    greatest = 0.0
    for key in keys:
        greatest = max(greatest, key)
    scale = (n - 1) / greatest
    # All keys are 0, or so small that the quotient is infinite.
    if not scale < np.inf:
        return False
    places[:] = 0
    for key in keys:
        places[_bucket(key, scale, n)] += 1
    start = 0
    for bucket in range(n):
        count = places[bucket]
        places[bucket] = start
        start += count
    for i in range(n):
        bucket = _bucket(keys[i], scale, n)
        order[places[bucket]] = i
        places[bucket] += 1
    return True


@kernel
def _bucket(key: float, scale: float, n: int) -> int:
    """Bucket of a key, never higher for a larger key; the last one also has `ABSENT` keys."""
    return n - 1 - min(max(int(key * scale), 0), n - 1)


@kernel
def _insert(keys: Floats, order: Longs) -> bool:
    """Sort indices that are nearly in order; return False, and leave them unsorted, if not."""
    n = order.shape[0]
    moves = _MOVES * n
    for i in range(1, n):
        chosen = order[i]
        key = keys[chosen]
        j = i
        while j > 0 and keys[order[j - 1]] < key:
            order[j] = order[j - 1]
            j -= 1
        order[j] = chosen
        moves -= i - j
        if moves < 0:
            return False
    return True


@kernel
def _sort_blocks(keys: Floats, order: Longs, spare: Longs) -> None:
    """Sort short blocks by counting, then merge them, bottom up: O(P log P)."""
    n = keys.shape[0]
    for start in range(0, n, _BLOCK):
        _rank(keys, order, start, min(start + _BLOCK, n))
    width = _BLOCK
    while width < n:
        for start in range(0, n - width, 2 * width):
            _merge(keys, order, spare, start, start + width, min(start + 2 * width, n))
        width *= 2


@kernel
def _rank(keys: Floats, order: Longs, start: int, end: int) -> None:
    """Sort a block: a place is the number of keys that come before. No branch to mispredict."""
    for i in range(start, end):
        place = start
        for j in range(start, i):
            place += keys[j] >= keys[i]
        for j in range(i + 1, end):
            place += keys[j] > keys[i]
        order[place] = i


@kernel
def _merge(keys: Floats, order: Longs, spare: Longs, start: int, middle: int, end: int) -> None:
    """Merge two sorted neighbours; only the left one, which has the lower indices, is copied."""
    if keys[order[middle - 1]] >= keys[order[middle]]:
        return
    n_left = middle - start
    for i in range(n_left):
        spare[i] = order[start + i]
    left, right, out = 0, middle, start
    # Which side is next cannot be predicted, so there is no branch on it.
    while left < n_left and right < end:
        a, b = spare[left], order[right]
        from_left = keys[a] >= keys[b]
        order[out] = a if from_left else b
        left += from_left
        right += not from_left
        out += 1
    while left < n_left:
        order[out] = spare[left]
        left += 1
        out += 1
