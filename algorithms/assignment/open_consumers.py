"""The open consumers of an iteration, and the search for one that takes a partition.

The whole search is in this module and those that it imports. Kernels get the arrays of `create` and
the index of `make_index` once and pass them to the other functions. They never access the contents
themselves.

The state of P possible consumers is three arrays and an index, passed one by one: Numba compiles a
separate version for None only where it is an argument of its own.

- ``loads``, float64[P]: bytes/s of each open consumer by id; infinity for the others, into which
  nothing fits. With an index the array is longer, and the extra places stay infinite.
- ``bits``, int64[P]: the same memory read as integers; see `algorithms.assignment.scan`.
- ``marks``, int64[3]: one above the highest open id; the lowest id that is not open; the one opened
  last, -1 if none.
- ``index``: None if consumers are found by a scan. Otherwise int32, for best fit the sorted list of
  `algorithms.assignment.sorted_loads`, for first and worst fit the tree of
  `algorithms.assignment.tournament`.

Kernels are compiled separately for None and for an index, so that a scan has no overhead from the
index. Both find the same consumer: each tests ``load + speed <= capacity`` in float64, and ties in
load go to the lowest id.
"""

from __future__ import annotations

import numpy as np

from algorithms.assignment import scan, sorted_loads, tournament
from algorithms.assignment.fit_rules import BEST, FIRST, NEXT, WORST
from algorithms.core.arrays import Floats, Ints, Longs
from algorithms.core.compiled import allocating, kernel
from algorithms.core.sorting import ABSENT

NOWHERE = -1
"""Consumer of an absent partition, and the result of a search if nothing fits."""

PENDING = -2
"""Consumer of a partition that is present but not placed yet."""

_CLOSED = np.inf
# Number of partitions from which an index is faster than a scan, as measured.
_INDEXED_FROM = {FIRST: 448, BEST: 768, WORST: 320}
_TOP, _LOWEST, _LAST = 0, 1, 2


def make_index(rule: int, partitions: int, indexed: bool | None) -> Ints | None:
    """Create an index, which finds a consumer among many faster than a scan; None to use a scan.

    rule: One of `algorithms.assignment.fit_rules`; next fit checks only one consumer and needs no
        index.
    partitions: Number of partitions P, which is also that of possible consumers.
    indexed: Whether to create an index; None creates one where it is faster. The result is the
        same.
    Returns: int32[...], an index without open consumers, of O(P) numbers.
    """
    if rule == NEXT or not (partitions >= _INDEXED_FROM[rule] if indexed is None else indexed):
        return None
    return sorted_loads.create(partitions) if rule == BEST else tournament.create(partitions)


@allocating
def create(partitions: int, index: Ints | None) -> tuple[Floats, Longs, Longs]:
    """Loads, bits and marks for as many consumers as partitions, none of them open."""
    room = partitions
    if index is not None:
        room = tournament.leaves(partitions)
    loads = np.full(room, _CLOSED)
    return loads, loads.view(np.int64), np.array([0, 0, NOWHERE])


@kernel
def read_speeds(speeds: Floats, keys: Floats, after: Ints) -> None:
    """Copy the speeds of an iteration as sort keys, and mark the partitions to place."""
    for j in range(speeds.shape[0]):
        present = speeds[j] >= 0.0
        # Adding 0 turns a negative zero, whose bits are below all others, into a positive one.
        keys[j] = speeds[j] + 0.0 if present else ABSENT
        after[j] = PENDING if present else NOWHERE


@kernel
def close_all(rule: int, loads: Floats, marks: Longs, index: Ints | None) -> None:
    """Start a new iteration: close all consumers. O(highest open id)."""
    for consumer in range(marks[_TOP]):
        loads[consumer] = _CLOSED
    marks[_TOP] = 0
    marks[_LOWEST] = 0
    marks[_LAST] = NOWHERE
    if index is not None and rule == BEST:
        sorted_loads.clear(index)


@kernel
def find(
    rule: int,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    index: Ints | None,
    speed: float,
    capacity: float,
) -> int:
    """Id of the open consumer that takes a partition under a fit rule, or `NOWHERE`.

    First fit: the lowest id with room. Best fit: the highest load with room. Worst fit: the
    lowest load, if there is room. Next fit: the consumer opened last, if there is room.
    O(B) by a scan over B consumers, O(log P) by an index; O(1) for next fit.
    """
    if index is not None:
        return _look_up(rule, loads, index, speed, capacity)
    top = int(marks[_TOP])
    if rule == BEST:
        return scan.best_fit(loads, bits, top, speed, capacity)
    if rule == FIRST:
        return scan.first_fit(loads, top, speed, capacity)
    consumer = int(marks[_LAST]) if rule == NEXT else scan.least_loaded(bits, top)
    if consumer != NOWHERE and has_room(loads, consumer, speed, capacity):
        return consumer
    return NOWHERE


@kernel
def _look_up(rule: int, loads: Floats, index: Ints, speed: float, capacity: float) -> int:
    if rule == BEST:
        return sorted_loads.best_fit(index, loads, speed, capacity)
    if rule == FIRST:
        return tournament.first_fit(index, loads, speed, capacity)
    consumer = tournament.least_loaded(index)
    return consumer if has_room(loads, consumer, speed, capacity) else NOWHERE


@kernel
def has_room(loads: Floats, consumer: int, speed: float, capacity: float) -> bool:
    """Whether a partition fits into an open consumer."""
    return bool(loads[consumer] + speed <= capacity)


@kernel
def add(rule: int, loads: Floats, index: Ints | None, consumer: int, speed: float) -> None:
    """Add a partition to an open consumer. O(1), with an index O(log P)."""
    if index is None:
        loads[consumer] += speed
    elif rule == BEST:
        sorted_loads.remove(index, loads, consumer)
        loads[consumer] += speed
        sorted_loads.insert(index, loads, consumer)
    else:
        loads[consumer] += speed
        tournament.update(index, loads, consumer)


@kernel
def open_with(
    rule: int, loads: Floats, marks: Longs, index: Ints | None, consumer: int, speed: float
) -> None:
    """Open a consumer with its first partition, of any speed. O(1), with an index O(log P)."""
    loads[consumer] = speed
    marks[_LAST] = consumer
    marks[_TOP] = max(marks[_TOP], consumer + 1)
    # Consumers do not close within an iteration, in which this takes O(P) steps in total.
    lowest = marks[_LOWEST]
    while lowest < loads.shape[0] and loads[lowest] < _CLOSED:
        lowest += 1
    marks[_LOWEST] = lowest
    if index is not None:
        if rule == BEST:
            sorted_loads.insert(index, loads, consumer)
        else:
            tournament.update(index, loads, consumer)


@kernel
def place_all(
    rule: int,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    index: Ints | None,
    keys: Floats,
    order: Longs,
    before: Ints,
    capacity: float,
    after: Ints,
) -> None:
    """Place the partitions that are `PENDING` in `after`, one by one in the given order.

    If a partition fits nowhere, a consumer is opened: the one that held it before. If there was
    none, or it is open already, the lowest id that is not open is used (Eq. 12-14). O(P B) by a
    scan over B consumers, O(P log P) by an index.
    """
    for j in order:
        if after[j] != PENDING:
            continue
        consumer = find(rule, loads, bits, marks, index, keys[j], capacity)
        if consumer != NOWHERE:
            add(rule, loads, index, consumer, keys[j])
        else:
            consumer = int(before[j])
            if consumer == NOWHERE or loads[consumer] < _CLOSED:
                consumer = int(marks[_LOWEST])
            open_with(rule, loads, marks, index, consumer, keys[j])
        after[j] = consumer
