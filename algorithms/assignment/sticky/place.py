"""Place a partition that has no place: at the cheapest of a few consumers."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.sticky import free_capacity, ledger, risk
from algorithms.assignment.sticky.free_capacity import COUNT, FIRST, NEXT, OWNER
from algorithms.assignment.sticky.ledger import LOG, NOWHERE
from algorithms.assignment.sticky.risk import PRICE, SPREAD
from algorithms.assignment.sticky.state import State
from algorithms.core.compiled import inlined, kernel

CONSUMERS = 24
MEMBERS = 8
_RESERVES = (0.0, 0.75, 1.5)


@inlined
def put(state: State, j: int, c: int) -> None:
    """Move a partition, pending or assigned, to a consumer, and log the move."""
    links, marks, journal = state.links, state.marks, state.journal
    old = links[OWNER, j]
    journal[0, marks[LOG]] = j
    journal[1, marks[LOG]] = old
    marks[LOG] += 1
    if old >= 0:
        ledger.detach(state, j)
    if c >= 0:
        ledger.attach(state, j, c)


@kernel
def undo(state: State, until: int) -> None:
    """Undo moves, the last one first, until `until` moves are left in the journal."""
    links, marks, journal = state.links, state.marks, state.journal
    while marks[LOG] > until:
        marks[LOG] -= 1
        j, old = journal[0, marks[LOG]], journal[1, marks[LOG]]
        if links[OWNER, j] >= 0:
            ledger.detach(state, j)
        if old >= 0:
            ledger.attach(state, j, old)


@inlined
def fare(state: State, j: int, c: int) -> float:
    """Cost of a partition at a consumer: its speed, or 0 if that is its home or it has none."""
    speeds, home = state.speeds, state.home
    if home[j] == NOWHERE or home[j] == c:
        return 0.0
    return float(speeds[j])


@kernel
def place(state: State, j: int, may_open: bool) -> float:
    """Place a pending partition; return the cost, or infinity if there is no place."""
    c, cost = _direct(state, j)
    if may_open:
        new = ledger.closed_id(state, j)
        price = state.terms[PRICE] + fare(state, j, new)
        if price < cost:
            c, cost = new, price
    # An ejection costs at least the fare of the partition itself.
    x, into, d, ejecting = _eject(state, j, cost)
    if x != NOWHERE and ejecting < cost:
        put(state, x, d)
        c, cost = into, ejecting
    if c == NOWHERE:
        return np.inf
    put(state, j, c)
    return cost


@inlined
def _direct(state: State, j: int) -> tuple[int, float]:
    """Cheapest open consumer with room, and the cost: home, or best fit with some reserves."""
    speeds, home = state.speeds, state.home
    best, least = NOWHERE, np.inf
    h, speed = home[j], speeds[j]
    if h != NOWHERE and ledger.holds(state, h, speed):
        best, least = h, risk.rise(state, h, j)
        if least == 0.0:
            return int(best), least
    for reserve in _RESERVES:
        c = free_capacity.best_fit(state, speed, reserve * state.terms[SPREAD], h, NOWHERE)
        if c == NOWHERE:
            break
        cost = fare(state, j, c) + risk.rise(state, c, j)
        if cost < least:
            best, least = c, cost
    return int(best), least


@inlined
def _eject(state: State, j: int, least: float) -> tuple[int, int, int, float]:
    """Cheapest ejection: the partition that leaves, its old and new consumer, and the cost.

    Checks the partition's home, and `CONSUMERS` consumers with the most free capacity.
    """
    home, links = state.home, state.links
    x, into, d = NOWHERE, NOWHERE, NOWHERE
    h = home[j]
    if h != NOWHERE and links[COUNT, h] > 0:
        x, into, d, least = _eject_from(state, j, h, x, into, d, least)
    if fare(state, j, NOWHERE) >= least:
        return x, into, d, least
    looked = 0
    bucket = free_capacity.last_bucket(state, links.shape[1] - 1)
    while bucket != NOWHERE and looked < CONSUMERS:
        c = free_capacity.first_in(state, bucket)
        while c != NOWHERE and looked < CONSUMERS:
            looked += 1
            if c != h:
                x, into, d, least = _eject_from(state, j, c, x, into, d, least)
            c = free_capacity.behind(state, c)
        bucket = free_capacity.last_bucket(state, bucket - 1)
    return x, into, d, least


@inlined
def _eject_from(
    state: State, j: int, c: int, x: int, into: int, d: int, least: float
) -> tuple[int, int, int, float]:
    """Cheapest ejection from one consumer, if it is cheaper than the best one known."""
    speeds, home, links, loads = state.speeds, state.home, state.links, state.loads
    capacity, speed = state.capacity, speeds[j]
    own = fare(state, j, c)
    now = -1.0
    i, looked = links[FIRST, c], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        small = speeds[i]
        if small < speed and loads[c] - small + speed <= capacity:
            stay = fare(state, i, c)
            # A migrated partition may return home at a gain; one at home costs its speed.
            bound = own - stay
            if home[i] != NOWHERE and stay == 0.0:
                bound += small
            if bound < least:
                if now < 0.0:
                    now = risk.of(state, c, -1, -1)
                base = own - stay + risk.of(state, c, i, j) - now
                to, cost = _refuge(state, i, c)
                if base + cost < least:
                    x, into, d, least = i, c, to, base + cost
        i = links[NEXT, i]
    return int(x), int(into), int(d), least


@inlined
def _refuge(state: State, i: int, c: int) -> tuple[int, float]:
    """Cheapest consumer with room for a partition that leaves another consumer, and the cost."""
    speeds, home = state.speeds, state.home
    best, least = NOWHERE, np.inf
    h = home[i]
    if h != NOWHERE and h != c and ledger.holds(state, h, speeds[i]):
        best, least = h, risk.rise(state, h, i)
    for reserve in _RESERVES:
        d = free_capacity.best_fit(state, speeds[i], reserve * state.terms[SPREAD], c, h)
        if d == NOWHERE:
            break
        cost = fare(state, i, d) + risk.rise(state, d, i)
        if cost < least:
            best, least = d, cost
    return int(best), least
