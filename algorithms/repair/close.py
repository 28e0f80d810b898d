"""Consumers that are closed because that is worth what it costs, lightest first."""

from __future__ import annotations

from algorithms import buckets, packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT
from algorithms.compiled import kernel
from algorithms.packing import LOG, NOWHERE, OPEN
from algorithms.repair import place, risk
from algorithms.repair.risk import CAPACITY, PRICE

FAILURES = 6
MEMBERS = 24


@kernel
def lightest(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    members: Ints,
) -> None:
    """Close consumers, lightest first, while that pays off; give up after `FAILURES`."""
    free = terms[CAPACITY] * marks[OPEN]
    for c in range(loads.shape[0]):
        free -= min(loads[c], terms[CAPACITY])
    failures = 0
    bucket = buckets.last_bucket(links, bits, links.shape[1] - 1)
    while bucket != NOWHERE and failures < FAILURES and free >= terms[CAPACITY]:
        c = buckets.first_in(links, bucket)
        closed = False
        while c != NOWHERE and failures < FAILURES and not closed:
            behind = buckets.behind(links, c)
            closed = _close(speeds, home, links, loads, bits, marks, terms, journal, members, c)
            if closed:
                free -= terms[CAPACITY]
            else:
                failures += 1
            c = behind
        if not closed:
            bucket -= 1
        bucket = buckets.last_bucket(links, bits, bucket)


@kernel
def _close(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    members: Ints,
    c: int,
) -> bool:
    """Try to place all members elsewhere for less than the consumer costs."""
    if links[COUNT, c] > MEMBERS:
        return False
    saved = terms[PRICE] + risk.of(speeds, links, loads, terms, c, -1, -1)
    n = _collect(speeds, links, c, members)
    # Fares that are paid already come back; whoever is at home has to pay one.
    cost, bound = 0.0, 0.0
    for i in range(n):
        paid = place.fare(speeds, home, members[i], c)
        cost -= paid
        bound += speeds[members[i]] if home[members[i]] == c else -paid
    if bound >= saved:
        return False
    marks[LOG] = 0
    for i in range(n):
        place.put(speeds, links, loads, bits, marks, terms, journal, members[i], NOWHERE)
    for i in range(n):
        cost += place.place(
            speeds, home, links, loads, bits, marks, terms, journal, members[i], False
        )
        if cost >= saved:
            place.undo(speeds, links, loads, bits, marks, terms, journal, 0)
            return False
    return True


@kernel
def _collect(speeds: Floats, links: Ints, c: int, members: Ints) -> int:
    """Members of a consumer, largest first, equals by index; returns how many."""
    n, j = 0, links[FIRST, c]
    while j != NOWHERE:
        i = n
        while i > 0 and packing.smaller(speeds, members[i - 1], j):
            members[i] = members[i - 1]
            i -= 1
        members[i] = j
        n += 1
        j = links[NEXT, j]
    return n
