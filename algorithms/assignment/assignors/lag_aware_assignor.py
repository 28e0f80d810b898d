"""The lag-aware assignor of KIP-169, each topic on its own."""

from __future__ import annotations

from algorithms.assignment.assignors.present_owners import Scratch
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel


@kernel
def place_by_lag(members: Longs, lags: Floats, after: Longs, scratch: Scratch) -> None:
    """Give partitions by descending lag to the member with the fewest, then the least lag.

    Ties go to the first id: as text for one topic, where ids are what the caller says, and as
    numbers for several, where they stand for ids that are padded with zeros. The members are a
    heap: O(P log P + P log M + T M).
    """
    starts = scratch.starts
    as_text = starts.shape[0] == 2
    for t in range(starts.shape[0] - 1):
        first, end = starts[t], starts[t + 1]
        _place_topic(members, lags[first:end], as_text, after[first:end], scratch)


@kernel
def _place_topic(
    members: Longs, lags: Floats, as_text: bool, after: Longs, scratch: Scratch
) -> None:
    n, partitions = members.shape[0], lags.shape[0]
    sizes, loads, heap = scratch.sizes, scratch.loads, scratch.candidates
    for m in range(n):
        sizes[m] = 0
        loads[m] = 0.0
        heap[m] = m
    for i in range(n // 2 - 1, -1, -1):
        _sink(i, n, members, as_text, scratch)
    order = scratch.order[:partitions]
    sorting.descending(lags, order, scratch.spare[:partitions])
    for p in order:
        m = heap[0]
        after[p] = m
        sizes[m] += 1
        loads[m] += lags[p]
        _sink(0, n, members, as_text, scratch)


@kernel
def _sink(i: int, n: int, members: Longs, as_text: bool, scratch: Scratch) -> None:
    """Move an entry of the heap down until no entry below it comes first."""
    heap = scratch.candidates
    m = heap[i]
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and _precedes(heap[child + 1], heap[child], members, as_text, scratch):
            child += 1
        if not _precedes(heap[child], m, members, as_text, scratch):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = m


@inlined
def _precedes(a: int, b: int, members: Longs, as_text: bool, scratch: Scratch) -> bool:
    sizes, loads = scratch.sizes, scratch.loads
    if sizes[a] != sizes[b]:
        return bool(sizes[a] < sizes[b])
    if loads[a] != loads[b]:
        return bool(loads[a] < loads[b])
    return _precedes_as_text(members[a], members[b]) if as_text else a < b


@kernel
def _precedes_as_text(a: int, b: int) -> bool:
    """Whether the digits of a come before those of b: 10 comes before 9, but after 1."""
    cut_a, cut_b = a, b
    while a >= 10 and b >= 10:
        a //= 10
        b //= 10
    # The longer id is cut to the length of the shorter one, which could overflow if extended.
    shorter = b >= 10
    while a >= 10:
        a //= 10
        cut_a //= 10
    while b >= 10:
        b //= 10
        cut_b //= 10
    return cut_a < cut_b or (cut_a == cut_b and shorter)
