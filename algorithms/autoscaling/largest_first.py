"""Largest-first packing: partitions by load, each to the member that has the least so far."""

from __future__ import annotations

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

_MOST_TOGETHER = 8


@kernel
def least_loaded_of(loads: Floats, n: int) -> int:
    """Position of the least of the first n loads, ties by the lowest. O(n)."""
    least = 0
    for member in range(1, n):
        if loads[member] < loads[least]:
            least = member
    return least


@kernel
def fill_loads(weights: Floats, order: Longs, n: int, loads: Floats, heap: Longs) -> float:
    """Pack P partitions into n members; return the largest load.

    weights: float64[P], load of each partition.
    order: int64[P], partitions by load, largest first.
    loads: float64[M], at least n places; the first n are filled with the loads of the members.
    heap: int64[M], scratch space, at least n places.

    Graham 1969: the largest load is at most 4/3 of the least possible one. Ties between members go
    to the lowest. O(P log n).
    """
    for member in range(n):
        loads[member] = 0.0
        heap[member] = member
    largest = 0.0
    for p in order:
        member = heap[0]
        loads[member] += weights[p]
        largest = max(largest, loads[member])
        _sink(loads, heap, n)
    return largest


@kernel
def least_possible(weights: Floats, order: Longs, n: int) -> float:
    """Load that some member has, however P partitions are packed into n members; up to rounding.

    Of the k n + 1 largest partitions, one member has at least k + 1. O(1): k is at most 8.
    """
    bound = 0.0
    for k in range(_MOST_TOGETHER + 1):
        if k * n >= order.shape[0]:
            break
        load = 0.0
        for i in range(k * n - k, k * n + 1):
            load += weights[order[i]]
        bound = max(bound, load)
    return bound


@kernel
def _sink(loads: Floats, heap: Longs, n: int) -> None:
    """Move the first member of a heap to its place after its load has grown."""
    member, place = heap[0], 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and _before(loads, heap[child + 1], heap[child]):
            child += 1
        if not _before(loads, heap[child], member):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = member


@inlined
def _before(loads: Floats, one: int, other: int) -> bool:
    return bool(loads[one] < loads[other] or (loads[one] == loads[other] and one < other))
