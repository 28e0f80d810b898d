"""The consumers that are open in an iteration, and how one is found for a partition.

Everything about the search is in this module: kernels get the arrays of `create` once, hand
them to the other functions, and never look into them. Another structure can take the place of
the scan without a change to the algorithms.

The state of P possible consumers is three arrays, passed one by one: as fields of a tuple they
would be reference-counted, atomically, at each access.

- ``loads``, float64[P]: bytes/s of each open consumer by id, infinity for the others, into
  which nothing fits.
- ``bits``, int64[P]: the same memory read as integers. Among numbers that are not negative both
  have the same order, and the compiler turns the search for the extreme integer, unlike that
  for the extreme float, into vector instructions.
- ``marks``, int64[3]: one above the highest open id; the lowest id that is not open; the one
  opened last, -1 without any.
"""

from __future__ import annotations

import numpy as np

from algorithms.arrays import Floats, Ints, Longs
from algorithms.compiled import kernel
from algorithms.ordering import ABSENT

NEXT, FIRST, BEST, WORST = 0, 1, 2, 3
"""Fit rules. Ties go to the lowest id, and a partition fits if ``load + speed <= capacity``."""

NOWHERE = -1
"""Consumer of an absent partition, and what is found where nothing fits."""

PENDING = -2
"""Consumer of a partition that is present and not placed yet."""

_CLOSED = np.inf
_TOP, _LOWEST, _LAST = 0, 1, 2
_GREATEST = np.iinfo(np.int64).max


@kernel
def create(partitions: int) -> tuple[Floats, Longs, Longs]:
    """Loads, bits and marks of as many consumers as partitions, none of them open."""
    loads = np.full(partitions, _CLOSED)
    return loads, loads.view(np.int64), np.array([0, 0, NOWHERE])


@kernel
def read_speeds(speeds: Floats, keys: Floats, after: Ints) -> None:
    """Take over the speeds of an iteration as sort keys, and mark who is to be placed."""
    for j in range(speeds.shape[0]):
        present = speeds[j] >= 0.0
        # Adding 0 makes a negative zero, whose bits are below all others, a positive one.
        keys[j] = speeds[j] + 0.0 if present else ABSENT
        after[j] = PENDING if present else NOWHERE


@kernel
def close_all(loads: Floats, marks: Longs) -> None:
    """Start a new iteration: no consumer is open. O(highest open id)."""
    for consumer in range(marks[_TOP]):
        loads[consumer] = _CLOSED
    marks[_TOP] = 0
    marks[_LOWEST] = 0
    marks[_LAST] = NOWHERE


@kernel
def find(rule: int, loads: Floats, bits: Longs, marks: Longs, speed: float, capacity: float) -> int:
    """Id of the open consumer that takes a partition under a fit rule, or `NOWHERE`.

    First fit: the lowest id with room. Best fit: the highest load with room. Worst fit: the
    lowest load, if there is room. Next fit: the consumer opened last, if there is room. A scan
    over ids, O(consumers), but for next fit.
    """
    top = int(marks[_TOP])
    if rule == BEST:
        return _lowest_id_with(bits, top, _highest_that_fits(loads, bits, top, speed, capacity))
    if rule == FIRST:
        return _lowest_id_that_fits(loads, top, speed, capacity)
    last = int(marks[_LAST])
    consumer = last if rule == NEXT else _lowest_id_with(bits, top, _lowest(bits, top))
    if consumer != NOWHERE and has_room(loads, consumer, speed, capacity):
        return consumer
    return NOWHERE


@kernel
def _lowest_id_that_fits(loads: Floats, top: int, speed: float, capacity: float) -> int:
    for consumer in range(top):
        if loads[consumer] + speed <= capacity:
            return consumer
    return NOWHERE


@kernel
def _highest_that_fits(loads: Floats, bits: Longs, top: int, speed: float, capacity: float) -> int:
    highest = -1
    for consumer in range(top):
        load = bits[consumer] if loads[consumer] + speed <= capacity else -1
        highest = max(highest, load)
    return int(highest)


@kernel
def _lowest(bits: Longs, top: int) -> int:
    lowest = _GREATEST
    for consumer in range(top):
        lowest = min(lowest, bits[consumer])
    return int(lowest)


@kernel
def _lowest_id_with(bits: Longs, top: int, load: int) -> int:
    for consumer in range(top):
        if bits[consumer] == load:
            return consumer
    return NOWHERE


@kernel
def has_room(loads: Floats, consumer: int, speed: float, capacity: float) -> bool:
    """Whether a partition fits into a consumer that is open."""
    return bool(loads[consumer] + speed <= capacity)


@kernel
def add(loads: Floats, consumer: int, speed: float) -> None:
    """Put a partition into a consumer that is open."""
    loads[consumer] += speed


@kernel
def open_with(loads: Floats, marks: Longs, consumer: int, speed: float) -> None:
    """Open a consumer with its first partition, whatever its speed."""
    loads[consumer] = speed
    marks[_LAST] = consumer
    marks[_TOP] = max(marks[_TOP], consumer + 1)
    # Consumers do not close within an iteration: over all of it this takes O(P) steps.
    lowest = marks[_LOWEST]
    while lowest < loads.shape[0] and loads[lowest] < _CLOSED:
        lowest += 1
    marks[_LOWEST] = lowest


@kernel
def place_all(
    rule: int,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    keys: Floats,
    order: Longs,
    before: Ints,
    capacity: float,
    after: Ints,
) -> None:
    """Place the partitions that are `PENDING` in `after`, one by one in the given order.

    Where one fits nowhere, a consumer is opened: the one that held it before, unless there was
    none or it is open already; then the lowest id that is not open (Eq. 12-14).
    """
    for j in order:
        if after[j] != PENDING:
            continue
        consumer = find(rule, loads, bits, marks, keys[j], capacity)
        if consumer != NOWHERE:
            add(loads, consumer, keys[j])
        else:
            consumer = int(before[j])
            if consumer == NOWHERE or loads[consumer] < _CLOSED:
                consumer = int(marks[_LOWEST])
            open_with(loads, marks, consumer, keys[j])
        after[j] = consumer
