"""Evict members of overloaded consumers: those with the least total speed."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.sticky import ledger
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import MEMBERS, RANKS, SPARE, Room
from algorithms.core import sorting
from algorithms.core.arrays import Ints
from algorithms.core.compiled import kernel

EXACT = 8
"""Number of members up to which all subsets are tried."""

_ROUNDING = 1e-12


@kernel
def all_overloads(state: State, room: Room) -> None:
    """Evict members until no consumer is overloaded. O(P log P) at most."""
    links, loads, members = state.links, state.loads, room.lists[MEMBERS]
    limit = state.capacity * (1.0 + _ROUNDING)
    for c in range(loads.shape[0]):
        if loads[c] <= limit or links[COUNT, c] < 2:
            continue
        n = _collect(state, c, members)
        if n <= EXACT:
            chosen = _cheapest_subset(state, members, n, loads[c], limit)
            for i in range(n):
                if chosen >> i & 1:
                    ledger.detach(state, members[i])
        else:
            _sort(state, room, n)
            _greedy(state, room, n, c, limit)


@kernel
def _collect(state: State, c: int, members: Ints) -> int:
    links = state.links
    n, j = 0, links[FIRST, c]
    while j >= 0:
        members[n] = j
        n += 1
        j = links[NEXT, j]
    return n


@kernel
def _cheapest_subset(state: State, members: Ints, n: int, load: float, limit: float) -> int:
    """Bits of the members to evict: least speed, then fewest, then the lowest bits.

    A member that is so fast that rounding loses the load of the others is never among them: it
    costs less to evict all others.
    """
    speeds = state.speeds
    best, best_speed, best_count = 0, np.inf, n + 1
    for subset in range(1, 1 << n):
        speed, count = 0.0, 0
        for i in range(n):
            if subset >> i & 1:
                speed += speeds[members[i]]
                count += 1
        if count == n or (load - speed > limit and count < n - 1):
            continue
        if speed < best_speed or (speed == best_speed and count < best_count):
            best, best_speed, best_count = subset, speed, count
    return best


@kernel
def _sort(state: State, room: Room, n: int) -> None:
    """Sort the places of the members, largest first, ties by index."""
    for i in range(n):
        room.keys[i] = state.speeds[room.lists[MEMBERS, i]]
    sorting.descending(room.keys[:n], room.orders[RANKS, :n], room.orders[SPARE, :n])


@kernel
def _greedy(state: State, room: Room, n: int, c: int, limit: float) -> None:
    """Evict the smallest member that ends the overload; while none does, the largest."""
    speeds, links, loads = state.speeds, state.links, state.loads
    members, ranks = room.lists[MEMBERS], room.orders[RANKS]
    first = 0
    while loads[c] > limit and links[COUNT, c] > 1:
        # The last of the remaining members, largest first, that ends the overload.
        low, high = first, n
        while low < high:
            middle = (low + high) // 2
            enough = loads[c] - speeds[members[ranks[middle]]] <= limit
            low, high = (middle + 1, high) if enough else (low, middle)
        at = max(low - 1, first)
        j = members[ranks[at]]
        ledger.detach(state, j)
        if speeds[j] > state.capacity:
            # Rounding of a load that included it may have lost the load of the others.
            ledger.add_up(state, c)
        first = at + 1
