"""Work arrays of sticky repair. They are few: from Python, a step takes 0.2 µs to pass each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import fit_rules, matching, open_consumers
from algorithms.assignment.sticky import ledger
from algorithms.core.arrays import Floats, Ints, Longs

MOVED = 512
"""Migrated partitions that are repacked together, at most."""

BASE, TRIAL, PAST, MEMBERS, QUEUE, LINKED, SEEN = 0, 1, 2, 3, 4, 5, 6
LISTS = 7
"""Rows of ``lists``, and their number: the assignment after evictions; a candidate; the assignment
of FFD in the previous iteration; members of one consumer; consumers to visit; migrated partitions
in the order in which they share consumers; and for each consumer whether it has been queued."""

RANKS, SPARE = 0, 1
"""Rows of ``orders``: the order of members; scratch space for sorting."""


class Room(NamedTuple):
    """Arrays for one stream of P partitions."""

    ints: Ints
    floats: Floats
    """`ints`, `floats`: int32[...], float64[...]: work arrays of
    `algorithms.assignment.matching`."""
    lists: Ints
    """int32[LISTS, P]: lists of partitions and consumers, and assignments."""
    keys: Floats
    """float64[P]: speeds of members."""
    orders: Longs
    """int64[2, P]: their order, and scratch space."""
    loads: Floats
    bits: Longs
    marks: Longs
    """`loads`, `bits`, `marks`: float64[...], int64[...], int64[3]: state of
    `algorithms.assignment.open_consumers`, for best fit and first fit decreasing."""
    best: Ints
    first: Ints
    """`best`, `first`: int32[...]: its indexes for these two rules."""
    moved: Ints
    others: Ints
    """`moved`, `others`: int32[2, MOVED]: lists of migrated partitions, and a candidate; see
    `algorithms.assignment.sticky.refit`."""
    was: Floats
    """float64[MOVED]: loads before a trial."""


def make(partitions: int) -> Room:
    """Create the work arrays for a number of partitions; O(P)."""
    ints, floats = matching.create(partitions)
    lists = np.empty((LISTS, partitions), np.int32)
    lists[PAST] = ledger.NOWHERE
    best = open_consumers.make_index(fit_rules.BEST, partitions, indexed=True)
    first = open_consumers.make_index(fit_rules.FIRST, partitions, indexed=True)
    assert best is not None
    assert first is not None
    loads, bits, marks = open_consumers.create(partitions, first)
    return Room(
        ints=ints,
        floats=floats,
        lists=lists,
        keys=np.empty(partitions),
        orders=np.empty((2, partitions), np.int64),
        loads=loads,
        bits=bits,
        marks=marks,
        best=best,
        first=first,
        moved=np.empty((2, MOVED), np.int32),
        others=np.empty((2, MOVED), np.int32),
        was=np.empty(MOVED),
    )
