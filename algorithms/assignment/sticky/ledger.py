"""Consumers with their members and free capacity, for passes that move partitions one by one.

Attaching or detaching a partition of a `State` is O(1), and finding a consumer by its free capacity
nearly so; see `algorithms.assignment.sticky.free_capacity`.
"""

from __future__ import annotations

import numpy as np

from algorithms.assignment.sticky import free_capacity
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT, OWNER, PREVIOUS
from algorithms.assignment.sticky.state import State
from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import inlined, kernel
from algorithms.core.sorting import ABSENT

NOWHERE = -1
"""Owner of an absent partition; no partition; no consumer."""

PENDING = -2
"""Owner of a partition that is present but not placed yet."""

OPEN, HINT, LOG = 0, 1, 2
MARKS = 3
"""Places in ``marks``, and their number: the open consumers; an id below which none is closed; the
moves in the journal."""


def create(partitions: int, capacity: float, terms: Floats) -> State:
    """Create a state in which no consumer has a member; O(P)."""
    links = free_capacity.create(partitions)
    return State(
        speeds=np.full(partitions, ABSENT),
        home=np.full(partitions, NOWHERE, np.int32),
        order=np.empty(partitions, np.int64),
        links=links,
        loads=np.zeros(partitions),
        bits=free_capacity.create_bits(links),
        marks=np.zeros(MARKS, np.int64),
        journal=np.empty((2, 4 * partitions + 16), np.int32),
        terms=terms,
        capacity=capacity,
    )


@kernel
def build(state: State, owners: Ints) -> None:
    """Load an assignment: consumer, `NOWHERE` or `PENDING` of each partition. O(P)."""
    speeds, links, loads, marks = state.speeds, state.links, state.loads, state.marks
    free_capacity.clear(state)
    loads[:] = 0.0
    marks[OPEN] = 0
    marks[HINT] = 0
    # Backwards, so that members are in the order of their index.
    for j in range(speeds.shape[0] - 1, -1, -1):
        links[OWNER, j] = owners[j]
        if owners[j] >= 0:
            _enlist(state, owners[j], j)
    for c in range(loads.shape[0]):
        if links[COUNT, c] > 0:
            add_up(state, c)


@inlined
def add_up(state: State, c: int) -> None:
    """Compute the load of a consumer from its members, in the order of its list."""
    speeds, links, loads = state.speeds, state.links, state.loads
    loads[c] = 0.0
    j = links[FIRST, c]
    while j != NOWHERE:
        loads[c] += speeds[j]
        j = links[NEXT, j]
    free_capacity.file(state, c)


@inlined
def _enlist(state: State, c: int, j: int) -> None:
    links, marks = state.links, state.marks
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


@inlined
def attach(state: State, j: int, c: int) -> None:
    """Assign a partition without an owner to a consumer. O(1)."""
    speeds, loads = state.speeds, state.loads
    _enlist(state, c, j)
    loads[c] += speeds[j]
    free_capacity.file(state, c)


@inlined
def detach(state: State, j: int) -> None:
    """Remove a partition from its consumer, which closes if it was the last one. O(1).

    The rest of the load is exact only up to the rounding of the load before; see `add_up`.
    """
    speeds, links, loads, marks = state.speeds, state.links, state.loads, state.marks
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
    free_capacity.file(state, c)


@inlined
def empty(state: State, c: int) -> None:
    """Detach all members of a consumer, which closes. O(their number)."""
    links, loads, marks = state.links, state.loads, state.marks
    j = links[FIRST, c]
    while j != NOWHERE:
        links[OWNER, j] = PENDING
        j = links[NEXT, j]
    links[FIRST, c] = NOWHERE
    links[COUNT, c] = 0
    loads[c] = 0.0
    marks[OPEN] -= 1
    marks[HINT] = min(marks[HINT], c)
    free_capacity.file(state, c)


@inlined
def move(state: State, j: int, c: int) -> None:
    """Move a partition to another consumer. O(1)."""
    detach(state, j)
    attach(state, j, c)


@kernel
def take(state: State, owners: Ints) -> None:
    """Copy the consumer of each partition into `owners`. O(P)."""
    for j in range(owners.shape[0]):
        owners[j] = state.links[OWNER, j]


@kernel
def copy(owners: Ints, into: Ints) -> None:
    """Copy an assignment. O(P)."""
    for j in range(owners.shape[0]):
        into[j] = owners[j]


@inlined
def closed_id(state: State, j: int) -> int:
    """Id for a new consumer: a partition's home if that is closed, else the lowest free id."""
    links, marks = state.links, state.marks
    h = state.home[j]
    if h != NOWHERE and links[COUNT, h] == 0:
        return int(h)
    c = marks[HINT]
    while links[COUNT, c] > 0:
        c += 1
    marks[HINT] = c
    return int(c)


@inlined
def holds(state: State, c: int, speed: float) -> bool:
    """Whether a consumer is open and has room for a speed."""
    return bool(state.links[COUNT, c] > 0 and state.loads[c] + speed <= state.capacity)


@inlined
def migrated(state: State, j: int) -> bool:
    """Whether a partition was present before and has another consumer now."""
    speeds, home, links = state.speeds, state.home, state.links
    return bool(home[j] != NOWHERE and speeds[j] != ABSENT and links[OWNER, j] != home[j])


@kernel
def moved_bytes(state: State, owners: Ints) -> float:
    """Speed of all migrated partitions, added up in the order of `assignment_scores.rscore`."""
    speeds, home = state.speeds, state.home
    moved = 0.0
    for j in range(speeds.shape[0]):
        if owners[j] != home[j] and owners[j] >= 0 and home[j] >= 0 and speeds[j] > 0.0:
            moved += speeds[j]
    return moved


@inlined
def smaller(state: State, one: int, other: int) -> bool:
    """Whether a partition comes after another one: largest first, ties by index."""
    speeds = state.speeds
    return bool(speeds[one] < speeds[other] or (speeds[one] == speeds[other] and one > other))
