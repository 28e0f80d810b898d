"""One iteration of sticky repair: mend the last assignment, and perhaps pack parts anew."""

from __future__ import annotations

import numpy as np

from algorithms import matching, packing, polish, rules
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import OWNER
from algorithms.compiled import kernel
from algorithms.packing import LOG, OPEN, PENDING
from algorithms.repair import close, evict, place, recall, refit, repack, risk
from algorithms.repair.risk import CAPACITY, FIRST_COUNT, PRICE
from algorithms.repair.room import Room

REPACKED_FROM = 0.6
"""Price from which repacks are tried too; below, they win hardly ever."""

REFITTED_FROM = 3.0
"""Price from which `refit` takes the place of `recall`: consumers are so full then that chains of
moves hardly find room. At less they find enough, and `refit` has no regard to risk."""

_LEFT_BY_POLISH = 0.6
"""Share of the migrated bytes that polishing leaves at best, as measured; a repack that could not
win even so is given up before."""

_PASSES = 2
"""Passes of polishing while assignments are compared."""

_VARIANTS = np.array(
    [(0.2, 0.02, 1), (0.5, 0.02, 0), (0.5, 0.15, 1), (0.75, 0.04, 0), (1.0, 0.04, 1)]
)
"""Repacks: share of consumers that are emptied; leniency to homes as a share of C; and whether
it is tried from `REFITTED_FROM` on too, where `refit` does more in the time."""


@kernel
def mend(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    room: Room,
    after: Ints,
) -> None:
    """Evict, place, close, polish; the result is in `after`, which held the last assignment."""
    journal = room.journal
    packing.build(speeds, after, links, loads, bits, marks, terms[CAPACITY])
    evict.all_overloads(
        speeds, links, loads, bits, marks, terms, room.members, room.keys, room.ranks, room.spare
    )
    _take(links, room.base)
    for j in order:
        if links[OWNER, j] == PENDING:
            marks[LOG] = 0
            place.place(speeds, home, links, loads, bits, marks, terms, journal, j, True)
    close.lightest(speeds, home, links, loads, bits, marks, terms, journal, room.members)
    polish.run(speeds, home, links, loads, bits, marks, terms, order, polish.PASSES)
    _take(links, after)


@kernel
def choose(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    room: Room,
    after: Ints,
) -> None:
    """Replace the mended assignment, which the state holds too, by the best of all repacks."""
    count, refitted = marks[OPEN], terms[PRICE] >= REFITTED_FROM * terms[CAPACITY]
    least = _objective(speeds, home, after, links, loads, marks, terms)
    trial = room.trial
    if terms[FIRST_COUNT] > 0.0:
        for rule in (rules.BEST, rules.FIRST):
            if _decreasing(rule, speeds, terms[CAPACITY], order, room) < count:
                matching.relabel(speeds, home, trial, room.ints, room.floats)
                _polish(speeds, home, links, loads, bits, marks, terms, order, trial)
                least = _objective(speeds, home, trial, links, loads, marks, terms)
                count = marks[OPEN]
                after[:] = trial
    for i in range(_VARIANTS.shape[0]):
        if refitted and _VARIANTS[i, 2] == 0.0:
            continue
        packing.build(speeds, room.base, links, loads, bits, marks, terms[CAPACITY])
        emptied = int(_VARIANTS[i, 0] * marks[OPEN]) + 1
        repack.release(speeds, links, loads, bits, marks, terms, emptied)
        leniency = _VARIANTS[i, 1] * terms[CAPACITY]
        repack.fill(speeds, home, links, loads, bits, marks, terms, order, leniency)
        _take(links, trial)
        matching.relabel(speeds, home, trial, room.ints, room.floats)
        moved = packing.moved_bytes(speeds, home, trial)
        if terms[PRICE] * marks[OPEN] + _LEFT_BY_POLISH * moved >= least:
            continue
        _polish(speeds, home, links, loads, bits, marks, terms, order, trial)
        found = _objective(speeds, home, trial, links, loads, marks, terms)
        if found < least:
            least = found
            after[:] = trial


@kernel
def _decreasing(rule: int, speeds: Floats, capacity: float, order: Longs, room: Room) -> int:
    """Pack everything anew, into `trial`; how many consumers that takes.

    As many as BFD or FFD itself has: the ids of the consumers, which decide in FFD, are those of
    its own past. In BFD they make no difference.
    """
    bins = room.by_load if rule == rules.BEST else room.by_id
    count = repack.decreasing(
        rule,
        speeds,
        order,
        room.past,
        bins.tree,
        bins.loads,
        bins.bits,
        bins.marks,
        capacity,
        room.trial,
    )
    if rule == rules.FIRST:
        room.past[:] = room.trial
    return count


@kernel
def finish(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    room: Room,
    after: Ints,
) -> None:
    """Match names, and bring home what a chain of moves, or packing anew, can bring home."""
    matching.relabel(speeds, home, after, room.ints, room.floats)
    packing.build(speeds, after, links, loads, bits, marks, terms[CAPACITY])
    if terms[PRICE] >= REFITTED_FROM * terms[CAPACITY]:
        polish.run(speeds, home, links, loads, bits, marks, terms, order, polish.PASSES)
        changed = refit.run(speeds, home, links, loads, bits, marks, terms, order, room)
    else:
        recall.run(speeds, home, links, loads, bits, marks, terms, room.journal, order)
        polish.run(speeds, home, links, loads, bits, marks, terms, order, polish.PASSES)
        changed = False
    _take(links, after)
    if changed:
        matching.relabel(speeds, home, after, room.ints, room.floats)


@kernel
def _polish(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    owners: Ints,
) -> None:
    """Polish an assignment; the state holds it then."""
    packing.build(speeds, owners, links, loads, bits, marks, terms[CAPACITY])
    polish.run(speeds, home, links, loads, bits, marks, terms, order, _PASSES)
    _take(links, owners)


@kernel
def _take(links: Ints, owners: Ints) -> None:
    for j in range(owners.shape[0]):
        owners[j] = links[OWNER, j]


@kernel
def _objective(
    speeds: Floats,
    home: Ints,
    owners: Ints,
    links: Ints,
    loads: Floats,
    marks: Longs,
    terms: Floats,
) -> float:
    """Migrated bytes, risk and the price of the consumers, of what the state holds. O(P)."""
    return float(
        packing.moved_bytes(speeds, home, owners)
        + risk.total(speeds, links, loads, terms)
        + terms[PRICE] * marks[OPEN]
    )
