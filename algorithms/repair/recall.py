"""Migrated partitions are sent home although that takes a chain of further moves."""

from __future__ import annotations

from algorithms import packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT, OWNER
from algorithms.compiled import kernel
from algorithms.packing import LOG, NOWHERE
from algorithms.repair import place, risk
from algorithms.repair.risk import CAPACITY

MEMBERS = 4
_LEAST = 1e-9


@kernel
def run(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    order: Longs,
) -> None:
    """Largest first: push a member out of the home, to where `place` finds room for it."""
    for j in order:
        if speeds[j] <= 0.0:
            break
        if packing.migrated(speeds, home, links, j) and links[COUNT, home[j]] > 0:
            _recall(speeds, home, links, loads, bits, marks, terms, journal, j)


@kernel
def _recall(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    journal: Ints,
    j: int,
) -> bool:
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], terms[CAPACITY]
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        after = links[NEXT, i]
        paid = place.fare(speeds, home, i, h)
        leaves = 0.0 if home[i] != h else speeds[i]
        fits = loads[h] - speeds[i] + speed <= capacity or links[COUNT, h] == 1
        if fits and speed + paid - leaves > _LEAST * capacity:
            marks[LOG] = 0
            before = risk.of(speeds, links, loads, terms, b, -1, -1)
            before += risk.of(speeds, links, loads, terms, h, -1, -1)
            place.put(speeds, links, loads, bits, marks, terms, journal, i, NOWHERE)
            place.put(speeds, links, loads, bits, marks, terms, journal, j, h)
            now = risk.of(speeds, links, loads, terms, b, -1, -1)
            now += risk.of(speeds, links, loads, terms, h, -1, -1)
            cost = place.place(speeds, home, links, loads, bits, marks, terms, journal, i, False)
            if speed + paid + before - now - cost > _LEAST * capacity:
                return True
            place.undo(speeds, links, loads, bits, marks, terms, journal, 0)
        i = after
    return False
