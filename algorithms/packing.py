"""Consumers with their members and free capacity, for passes that move partitions one by one.

The state of P partitions and P possible consumers is a few arrays, passed one by one as in
`algorithms.bins`:

- ``speeds``, float64[P]: bytes/s of each partition, `sorting.ABSENT` for who is not there.
- ``links``, int32[`ROWS`, W]: who belongs to whom, one row for each name below. W is P, at least
  `_FEWEST`.
- ``loads``, float64[P]: bytes/s of each consumer, 0 for those that hold nothing.
- ``bits``, int64[...]: which shelves hold a consumer; see `algorithms.buckets`.
- ``marks``, int64[`MARKS`]: how many consumers are open; an id below which none is closed; how many
  moves are in a journal, see `algorithms.repair.place`.

To attach or detach a partition is O(1), to find a consumer by its free capacity nearly so.
"""

from __future__ import annotations

import numpy as np

from algorithms import buckets
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT, OWNER, PREVIOUS
from algorithms.compiled import kernel
from algorithms.sorting import ABSENT

NOWHERE = -1
"""Owner of an absent partition; no partition; no consumer."""

PENDING = -2
"""Owner of a partition that is present and has no place yet."""

OPEN, HINT, LOG = 0, 1, 2
MARKS = 3


@kernel
def create(partitions: int) -> tuple[Ints, Floats, Longs, Longs]:
    """Links, loads, bits and marks of a state without any member."""
    links = buckets.create(partitions)
    return links, np.zeros(partitions), buckets.create_bits(links), np.zeros(MARKS, np.int64)


@kernel
def build(
    speeds: Floats,
    owners: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    capacity: float,
) -> None:
    """Take over an assignment: consumers, `NOWHERE` or `PENDING` of each partition. O(P)."""
    buckets.clear(links, bits)
    loads[:] = 0.0
    marks[OPEN] = 0
    marks[HINT] = 0
    # Backwards, so that members stand in the order of their index.
    for j in range(speeds.shape[0] - 1, -1, -1):
        links[OWNER, j] = owners[j]
        if owners[j] >= 0:
            _enlist(links, marks, owners[j], j)
    for c in range(loads.shape[0]):
        if links[COUNT, c] > 0:
            add_up(speeds, links, loads, bits, capacity, c)


@kernel
def add_up(
    speeds: Floats, links: Ints, loads: Floats, bits: Longs, capacity: float, c: int
) -> None:
    """Find the load of a consumer from its members, in the order in which they stand."""
    loads[c] = 0.0
    j = links[FIRST, c]
    while j != NOWHERE:
        loads[c] += speeds[j]
        j = links[NEXT, j]
    buckets.file(links, loads, bits, capacity, c)


@kernel
def _enlist(links: Ints, marks: Longs, c: int, j: int) -> None:
    first = links[FIRST, c]
    links[NEXT, j] = first
    links[PREVIOUS, j] = NOWHERE
    if first != NOWHERE:
        links[PREVIOUS, first] = j
    links[FIRST, c] = j
    links[OWNER, j] = c
    links[COUNT, c] += 1
    if links[COUNT, c] == 1:
        marks[OPEN] += 1


@kernel
def attach(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    capacity: float,
    j: int,
    c: int,
) -> None:
    """Give a partition that has no owner to a consumer. O(1)."""
    _enlist(links, marks, c, j)
    loads[c] += speeds[j]
    buckets.file(links, loads, bits, capacity, c)


@kernel
def detach(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    capacity: float,
    j: int,
) -> None:
    """Take a partition from its consumer, which is closed if it was the last one. O(1).

    What stays is known up to the rounding of the load before: see `add_up`.
    """
    c = links[OWNER, j]
    before, behind = links[PREVIOUS, j], links[NEXT, j]
    if before != NOWHERE:
        links[NEXT, before] = behind
    else:
        links[FIRST, c] = behind
    if behind != NOWHERE:
        links[PREVIOUS, behind] = before
    links[OWNER, j] = PENDING
    links[COUNT, c] -= 1
    loads[c] -= speeds[j]
    if links[COUNT, c] == 0:
        loads[c] = 0.0
        marks[OPEN] -= 1
        marks[HINT] = min(marks[HINT], c)
    buckets.file(links, loads, bits, capacity, c)


@kernel
def move(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    capacity: float,
    j: int,
    c: int,
) -> None:
    """Give a partition of one consumer to another one. O(1)."""
    detach(speeds, links, loads, bits, marks, capacity, j)
    attach(speeds, links, loads, bits, marks, capacity, j, c)


@kernel
def closed_id(links: Ints, marks: Longs, home: int) -> int:
    """Id under which a consumer is opened: a partition's home if that is closed, or the lowest."""
    if home != NOWHERE and links[COUNT, home] == 0:
        return home
    c = marks[HINT]
    while links[COUNT, c] > 0:
        c += 1
    marks[HINT] = c
    return int(c)


@kernel
def holds(links: Ints, loads: Floats, capacity: float, c: int, less: float, more: float) -> bool:
    """Whether a consumer can give up some load and take on some more."""
    return bool(links[COUNT, c] > 0 and loads[c] - less + more <= capacity)


@kernel
def migrated(speeds: Floats, home: Ints, links: Ints, j: int) -> bool:
    """Whether a partition was present and is with another consumer now."""
    return bool(home[j] != NOWHERE and speeds[j] != ABSENT and links[OWNER, j] != home[j])


@kernel
def moved_bytes(speeds: Floats, home: Ints, owners: Ints) -> float:
    """Speed of all migrated partitions, added up as `algorithms.metrics.rscore` does."""
    moved = 0.0
    for j in range(speeds.shape[0]):
        if owners[j] != home[j] and owners[j] >= 0 and home[j] >= 0 and speeds[j] > 0.0:
            moved += speeds[j]
    return moved


@kernel
def smaller(speeds: Floats, one: int, other: int) -> bool:
    """Whether a partition comes behind another one, largest first, equals by index."""
    return bool(speeds[one] < speeds[other] or (speeds[one] == speeds[other] and one > other))
