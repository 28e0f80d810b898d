"""Members of a group with their loads, and moves of single partitions between them.

Members are called by their position, by ascending consumer id.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.largest_first import least_loaded_of
from algorithms.core import sorting
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import kernel

NO_MEMBER = -1

LEAST_GAIN = 0.02
"""A partition moves if the larger load of both members falls by more than this share of the mean
load. A share of the larger load itself would leave many small partitions with a single member."""

_EQUAL = 1e-9
"""Loads are equal that differ by no more than this share of the fullest member's."""


class Balanced(NamedTuple):
    """Members of a group, at most C = P + the greatest number of replicas, with ids below I."""

    used: Bools
    """bool[I]: whether a consumer id is a member."""
    places: Longs
    """int64[I]: position of each consumer id among the members, -1 if it is none."""
    ids: Longs
    """int64[C]: consumer ids of the members, ascending."""
    number: Longs
    """int64[1]: number of members."""
    loads: Floats
    """float64[C]: sum of the weights of the partitions of each member."""
    closed: Bools
    """bool[C]: members from which no move would gain enough."""
    holders: Longs
    """int64[P]: member of each partition, -1 for none."""
    placed: Bools
    """bool[P]: whether a partition was given to a member by this action."""
    order: Longs
    spare: Longs
    """`order`, `spare`: int64[P]: partitions by weight, and scratch space for sorting."""


def create(partitions: int, max_replicas: int, initial_replicas: int) -> Balanced:
    """The members of a group at its start: ``0 .. initial_replicas - 1``. O(P + replicas)."""
    room, ids = partitions + max_replicas, partitions + 2 * max_replicas + 1
    result = Balanced(
        used=np.zeros(ids, np.bool_),
        places=np.empty(ids, np.int64),
        ids=np.empty(room, np.int64),
        number=np.full(1, initial_replicas, np.int64),
        loads=np.empty(room),
        closed=np.empty(room, np.bool_),
        holders=np.empty(partitions, np.int64),
        placed=np.empty(partitions, np.bool_),
        order=np.empty(partitions, np.int64),
        spare=np.empty(partitions, np.int64),
    )
    result.ids[:initial_replicas] = np.arange(initial_replicas)
    result.used[:initial_replicas] = True
    return result


@kernel
def take_stock(balanced: Balanced, owners: Longs, replicas: int, weights: Floats) -> None:
    """List the present members with their loads.

    Members are all owners, and of those listed before that own nothing now the lowest ids, up to a
    number of replicas. Ids of I or more are no members. O(P + I).
    """
    before = balanced.number[0]
    for i in range(before):
        balanced.used[balanced.ids[i]] = False
    members = 0
    for owner in owners:
        if NO_MEMBER < owner < balanced.used.shape[0] and not balanced.used[owner]:
            balanced.used[owner] = True
            members += 1
    for i in range(before):
        if members < replicas and not balanced.used[balanced.ids[i]]:
            balanced.used[balanced.ids[i]] = True
            members += 1
    _list(balanced, owners, weights)


@kernel
def resize(balanced: Balanced, owners: Longs, replicas: int, weights: Floats) -> None:
    """Let members leave, least loaded first, or join with the lowest free ids.

    Partitions of members that leave have none. Ties: the highest id leaves first.
    O(P + I + leaving C).
    """
    members = balanced.number[0]
    for _ in range(replicas, members):
        least = NO_MEMBER
        for m in range(members):
            present = balanced.used[balanced.ids[m]]
            if present and (least == NO_MEMBER or balanced.loads[m] <= balanced.loads[least]):
                least = m
        balanced.used[balanced.ids[least]] = False
    id_ = 0
    for _ in range(members, replicas):
        while balanced.used[id_]:
            id_ += 1
        balanced.used[id_] = True
    _list(balanced, owners, weights)


@kernel
def take_slots(balanced: Balanced, owners: Longs, slots: int, weights: Floats) -> None:
    """Let the members be ``0 .. slots - 1``; partitions of others have none. O(P + I)."""
    for id_ in range(balanced.used.shape[0]):
        balanced.used[id_] = id_ < slots
    _list(balanced, owners, weights)


@kernel
def place_orphans(balanced: Balanced, weights: Floats) -> None:
    """Give unowned partitions to the least loaded, largest first; ties: lower. O(P (log P + C))."""
    sorting.descending(weights, balanced.order, balanced.spare)
    for p in balanced.order:
        if balanced.holders[p] == NO_MEMBER:
            _give(balanced, p, least_loaded_of(balanced.loads, balanced.number[0]), weights)


@kernel
def even_out(balanced: Balanced, weights: Floats) -> None:
    """Move partitions one at a time from the fullest member to the emptiest.

    The partition is the one with which the larger load of the two becomes least; it moves if that
    falls by more than `LEAST_GAIN` of the mean load. If none does, the next fullest member is
    taken. No partition moves twice. Ties: the lower id, the lower partition.

    The least load never falls, so a member that has nothing to gain stays so. At most P moves,
    O((P + C) (P + C)).
    """
    members = balanced.number[0]
    total = 0.0
    for m in range(members):
        balanced.closed[m] = False
        total += balanced.loads[m]
    enough = LEAST_GAIN * total / members
    while True:
        emptiest = least_loaded_of(balanced.loads, members)
        fullest = _fullest(balanced)
        if fullest == NO_MEMBER or balanced.loads[fullest] <= balanced.loads[emptiest]:
            return
        p = _best_move(balanced, fullest, balanced.loads[emptiest], enough, weights)
        if p == NO_MEMBER:
            balanced.closed[fullest] = True
        else:
            balanced.loads[fullest] -= weights[p]
            _give(balanced, p, emptiest, weights)


@kernel
def largest_load(balanced: Balanced) -> float:
    """Largest load of a member. O(C)."""
    largest = 0.0
    for m in range(balanced.number[0]):
        largest = max(largest, balanced.loads[m])
    return largest


@kernel
def name_owners(balanced: Balanced, owners: Longs, after: Longs) -> bool:
    """Fill in the consumer id of each partition; return whether one differs from its owner."""
    differs = False
    for p in range(after.shape[0]):
        after[p] = balanced.ids[balanced.holders[p]]
        differs = differs or after[p] != owners[p]
    return differs


@kernel
def _list(balanced: Balanced, owners: Longs, weights: Floats) -> None:
    """List the used ids, and add up the loads of their partitions."""
    members = 0
    for id_ in range(balanced.used.shape[0]):
        balanced.places[id_] = NO_MEMBER
        if balanced.used[id_]:
            balanced.places[id_] = members
            balanced.ids[members] = id_
            balanced.loads[members] = 0.0
            members += 1
    balanced.number[0] = members
    for p in range(owners.shape[0]):
        is_member = NO_MEMBER < owners[p] < balanced.places.shape[0]
        m = balanced.places[owners[p]] if is_member else NO_MEMBER
        balanced.holders[p] = m
        balanced.placed[p] = False
        if m != NO_MEMBER:
            balanced.loads[m] += weights[p]


@kernel
def _give(balanced: Balanced, p: int, member: int, weights: Floats) -> None:
    balanced.holders[p] = member
    balanced.loads[member] += weights[p]
    balanced.placed[p] = True


@kernel
def _fullest(balanced: Balanced) -> int:
    fullest = NO_MEMBER
    for m in range(balanced.number[0]):
        if not balanced.closed[m] and (
            fullest == NO_MEMBER or balanced.loads[m] > balanced.loads[fullest]
        ):
            fullest = m
    return fullest


@kernel
def _best_move(
    balanced: Balanced, fullest: int, target: float, enough: float, weights: Floats
) -> int:
    """Partition of a member whose move to a load `target` gains most; -1 if none gains enough."""
    load = balanced.loads[fullest]
    best, larger = NO_MEMBER, load - enough
    for p in range(weights.shape[0]):
        if balanced.holders[p] == fullest and not balanced.placed[p]:
            after = max(load - weights[p], target + weights[p])
            if after < larger - _EQUAL * load:
                best, larger = p, after
    return best
