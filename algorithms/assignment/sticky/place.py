"""Where a partition without a place goes: the cheapest of a few consumers."""

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


@kernel
def put(state: State, j: int, c: int) -> None:
    """Give a partition, pending or with another consumer, to a consumer, and write it down."""
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
    """Take moves back, the last one first."""
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
    """What it costs to have a partition with a consumer: its speed, unless that is its home."""
    speeds, home = state.speeds, state.home
    if home[j] == NOWHERE or home[j] == c:
        return 0.0
    return float(speeds[j])


@kernel
def place(state: State, j: int, may_open: bool) -> float:
    """Give a pending partition a place; the cost, or infinity if it found none."""
    c, cost = _direct(state, j)
    if may_open:
        new = ledger.closed_id(state, j)
        price = state.terms[PRICE] + fare(state, j, new)
        if price < cost:
            c, cost = new, price
    # The least that an ejection costs is the fare of the partition itself.
    x, into, d, ejecting = _eject(state, j, cost)
    if x != NOWHERE and ejecting < cost:
        put(state, x, d)
        c, cost = into, ejecting
    if c == NOWHERE:
        return np.inf
    put(state, j, c)
    return cost


@kernel
def _direct(state: State, j: int) -> tuple[int, float]:
    """Cheapest open consumer with room, and the cost: home, or best fit under some reserves."""
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


@kernel
def _eject(state: State, j: int, least: float) -> tuple[int, int, int, float]:
    """Cheapest way to make room: which partition leaves which consumer, for where, and the cost.

    The partition's home is looked at, and `CONSUMERS` with the most free capacity.
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


@kernel
def _eject_from(
    state: State, j: int, c: int, x: int, into: int, d: int, least: float
) -> tuple[int, int, int, float]:
    """The same for one consumer, if it is cheaper than what is known."""
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
            # A migrated one can go home for less; else it costs its speed anew.
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


@kernel
def _refuge(state: State, i: int, c: int) -> tuple[int, float]:
    """Cheapest consumer with room for a partition that leaves another one, and the cost."""
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
