"""Where a partition without a place goes: the cheapest of a few consumers."""

from __future__ import annotations

import numpy as np

from algorithms import buckets, packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT, OWNER
from algorithms.compiled import kernel
from algorithms.packing import LOG, NOWHERE
from algorithms.repair import risk
from algorithms.repair.risk import CAPACITY, PRICE, SPREAD

CONSUMERS = 24
MEMBERS = 8
_RESERVES = (0.0, 0.75, 1.5)


@kernel
def put(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    j: int,
    c: int,
) -> None:
    """Give a partition, pending or with another consumer, to a consumer, and write it down."""
    old = links[OWNER, j]
    journal[0, marks[LOG]] = j
    journal[1, marks[LOG]] = old
    marks[LOG] += 1
    if old >= 0:
        packing.detach(speeds, links, loads, bits, marks, terms[CAPACITY], j)
    if c >= 0:
        packing.attach(speeds, links, loads, bits, marks, terms[CAPACITY], j, c)


@kernel
def undo(
    speeds: Floats,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    until: int,
) -> None:
    """Take moves back, the last one first."""
    while marks[LOG] > until:
        marks[LOG] -= 1
        j, old = journal[0, marks[LOG]], journal[1, marks[LOG]]
        if links[OWNER, j] >= 0:
            packing.detach(speeds, links, loads, bits, marks, terms[CAPACITY], j)
        if old >= 0:
            packing.attach(speeds, links, loads, bits, marks, terms[CAPACITY], j, old)


@kernel
def fare(speeds: Floats, home: Ints, j: int, c: int) -> float:
    """What it costs to have a partition with a consumer: its speed, unless that is its home."""
    if home[j] == NOWHERE or home[j] == c:
        return 0.0
    return float(speeds[j])


@kernel
def place(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    j: int,
    may_open: bool,
) -> float:
    """Give a pending partition a place; the cost, or infinity if it found none."""
    c, cost = _direct(speeds, home, links, loads, bits, terms, j)
    if may_open:
        new = packing.closed_id(links, marks, home[j])
        price = terms[PRICE] + fare(speeds, home, j, new)
        if price < cost:
            c, cost = new, price
    # The least that an ejection costs is the fare of the partition itself.
    x, into, d, ejecting = _eject(speeds, home, links, loads, bits, terms, j, cost)
    if x != NOWHERE and ejecting < cost:
        put(speeds, links, loads, bits, marks, terms, journal, x, d)
        c, cost = into, ejecting
    if c == NOWHERE:
        return np.inf
    put(speeds, links, loads, bits, marks, terms, journal, j, c)
    return cost


@kernel
def _direct(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    terms: Floats,
    j: int,
) -> tuple[int, float]:
    """Cheapest open consumer with room, and the cost: home, or best fit under some reserves."""
    best, least = NOWHERE, np.inf
    h, speed, capacity = home[j], speeds[j], terms[CAPACITY]
    if h != NOWHERE and packing.holds(links, loads, capacity, h, 0.0, speed):
        best, least = h, risk.rise(speeds, links, loads, terms, h, j)
        if least == 0.0:
            return int(best), least
    for reserve in _RESERVES:
        c = buckets.best_fit(
            links, loads, bits, capacity, speed, reserve * terms[SPREAD], h, NOWHERE
        )
        if c == NOWHERE:
            break
        cost = fare(speeds, home, j, c) + risk.rise(speeds, links, loads, terms, c, j)
        if cost < least:
            best, least = c, cost
    return int(best), least


@kernel
def _eject(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    terms: Floats,
    j: int,
    least: float,
) -> tuple[int, int, int, float]:
    """Cheapest way to make room: which partition leaves which consumer, for where, and the cost.

    The partition's home is looked at, and `CONSUMERS` with the most free capacity.
    """
    x, into, d = NOWHERE, NOWHERE, NOWHERE
    h = home[j]
    if h != NOWHERE and links[COUNT, h] > 0:
        x, into, d, least = _eject_from(
            speeds, home, links, loads, bits, terms, j, h, x, into, d, least
        )
    if fare(speeds, home, j, NOWHERE) >= least:
        return x, into, d, least
    looked = 0
    bucket = buckets.last_bucket(links, bits, links.shape[1] - 1)
    while bucket != NOWHERE and looked < CONSUMERS:
        c = buckets.first_in(links, bucket)
        while c != NOWHERE and looked < CONSUMERS:
            looked += 1
            if c != h:
                x, into, d, least = _eject_from(
                    speeds, home, links, loads, bits, terms, j, c, x, into, d, least
                )
            c = buckets.behind(links, c)
        bucket = buckets.last_bucket(links, bits, bucket - 1)
    return x, into, d, least


@kernel
def _eject_from(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    terms: Floats,
    j: int,
    c: int,
    x: int,
    into: int,
    d: int,
    least: float,
) -> tuple[int, int, int, float]:
    """The same for one consumer, if it is cheaper than what is known."""
    capacity, speed = terms[CAPACITY], speeds[j]
    own = fare(speeds, home, j, c)
    now = -1.0
    i, looked = links[FIRST, c], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        small = speeds[i]
        if small < speed and loads[c] - small + speed <= capacity:
            stay = fare(speeds, home, i, c)
            # A migrated one can go home for less; else it costs its speed anew.
            bound = own - stay
            if home[i] != NOWHERE and stay == 0.0:
                bound += small
            if bound < least:
                if now < 0.0:
                    now = risk.of(speeds, links, loads, terms, c, -1, -1)
                base = own - stay + risk.of(speeds, links, loads, terms, c, i, j) - now
                to, cost = _refuge(speeds, home, links, loads, bits, terms, i, c)
                if base + cost < least:
                    x, into, d, least = i, c, to, base + cost
        i = links[NEXT, i]
    return int(x), int(into), int(d), least


@kernel
def _refuge(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    terms: Floats,
    i: int,
    c: int,
) -> tuple[int, float]:
    """Cheapest consumer with room for a partition that leaves another one, and the cost."""
    best, least = NOWHERE, np.inf
    h, capacity = home[i], terms[CAPACITY]
    if h != NOWHERE and h != c and packing.holds(links, loads, capacity, h, 0.0, speeds[i]):
        best, least = h, risk.rise(speeds, links, loads, terms, h, i)
    for reserve in _RESERVES:
        d = buckets.best_fit(links, loads, bits, capacity, speeds[i], reserve * terms[SPREAD], c, h)
        if d == NOWHERE:
            break
        cost = fare(speeds, home, i, d) + risk.rise(speeds, links, loads, terms, d, i)
        if cost < least:
            best, least = d, cost
    return int(best), least
