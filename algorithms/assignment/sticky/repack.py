"""Empty part of the consumers and repack their partitions, best fit decreasing."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import fit_rules, open_consumers
from algorithms.assignment.sticky import free_capacity, ledger
from algorithms.assignment.sticky.free_capacity import OWNER
from algorithms.assignment.sticky.ledger import NOWHERE, PENDING
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import Room
from algorithms.core.arrays import Ints
from algorithms.core.compiled import inlined, kernel
from algorithms.core.sorting import ABSENT


@inlined
def release(state: State, emptied: int) -> None:
    """Empty a number of consumers, those with the most free capacity first.

    Within a bucket of `algorithms.assignment.sticky.free_capacity` they are taken in the order of
    its list. O(P).
    """
    bucket = free_capacity.last_bucket(state, state.links.shape[1] - 1)
    while emptied > 0 and bucket != NOWHERE:
        c = free_capacity.first_in(state, bucket)
        ledger.empty(state, c)
        emptied -= 1
        bucket = free_capacity.last_bucket(state, bucket)


@inlined
def fill(state: State, leniency: float) -> None:
    """Best fit of all pending partitions, largest first; one that fits nowhere opens a consumer.

    The home of a partition replaces the best fit if it has room and its load is at most `leniency`
    bytes/s lower.
    """
    speeds, home, links, loads = state.speeds, state.home, state.links, state.loads
    for j in state.order:
        if links[OWNER, j] != PENDING:
            continue
        h, speed = home[j], speeds[j]
        c = free_capacity.best_fit(state, speed, 0.0, NOWHERE, NOWHERE)
        if c == NOWHERE:
            c = ledger.closed_id(state, j)
        elif h != NOWHERE and ledger.holds(state, h, speed) and loads[c] - loads[h] <= leniency:
            c = h
        ledger.attach(state, j, c)


@kernel
def decreasing(rule: int, state: State, room: Room, before: Ints, owners: Ints) -> int:
    """Pack as BFD or FFD does after `before`, by speeds, order and C alone. O(P log P)."""
    loads, bits, marks, speeds = room.loads, room.bits, room.marks, state.speeds
    index = room.best if rule == fit_rules.BEST else room.first
    open_consumers.close_all(rule, loads, marks, index)
    for j in range(speeds.shape[0]):
        owners[j] = NOWHERE if speeds[j] == ABSENT else PENDING
    open_consumers.place_all(
        rule, loads, bits, marks, index, speeds, state.order, before, state.capacity, owners
    )
    count = 0
    for c in range(speeds.shape[0]):
        count += loads[c] < np.inf
    return count
