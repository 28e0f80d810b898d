"""Work arrays of sticky repair, created once per stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import fit_rules, matching, open_consumers
from algorithms.assignment.sticky import ledger
from algorithms.core.arrays import Bools, Floats, Ints, Longs

MOVED = 512
"""Migrated partitions that are repacked together, at most."""


class Bins(NamedTuple):
    """State of `algorithms.assignment.open_consumers` for one rule; `tree` is its index."""

    tree: Ints
    loads: Floats
    bits: Longs
    marks: Longs


class Room(NamedTuple):
    """Arrays for one stream of P partitions.

    Attributes
    ----------
    ints, floats : int32[...], float64[...]
        Work arrays of `algorithms.assignment.matching`.
    members : int32[P]
        Members of one consumer.
    keys, ranks, spare : float64[P], int64[P], int64[P]
        Their speeds, and their order; scratch space for sorting.
    base, trial : int32[P]
        Assignment after evictions, and a candidate.
    past : int32[P]
        Assignment of FFD in the previous iteration.
    by_load, by_id : Bins
        For best fit and for first fit decreasing.
    queue, linked : int32[P], int32[P]
        Consumers to visit, and migrated partitions in the order in which they share consumers.
    seen : bool[P]
        Consumers that have been queued.
    moved, others : int32[2, MOVED]
        Lists of migrated partitions, and a candidate; see
        `algorithms.assignment.sticky.refit`.
    was : float64[MOVED]
        Loads before a trial.
    """

    ints: Ints
    floats: Floats
    members: Ints
    keys: Floats
    ranks: Longs
    spare: Longs
    base: Ints
    trial: Ints
    past: Ints
    by_load: Bins
    by_id: Bins
    queue: Ints
    linked: Ints
    seen: Bools
    moved: Ints
    others: Ints
    was: Floats


def make(partitions: int) -> Room:
    """Create the work arrays for a number of partitions; O(P)."""
    ints, floats = matching.create(partitions)
    return Room(
        ints=ints,
        floats=floats,
        members=np.empty(partitions, np.int32),
        keys=np.empty(partitions),
        ranks=np.empty(partitions, np.int64),
        spare=np.empty(partitions, np.int64),
        base=np.empty(partitions, np.int32),
        trial=np.empty(partitions, np.int32),
        past=np.full(partitions, ledger.NOWHERE, np.int32),
        by_load=_bins(fit_rules.BEST, partitions),
        by_id=_bins(fit_rules.FIRST, partitions),
        queue=np.empty(partitions, np.int32),
        linked=np.empty(partitions, np.int32),
        seen=np.empty(partitions, np.bool_),
        moved=np.empty((2, MOVED), np.int32),
        others=np.empty((2, MOVED), np.int32),
        was=np.empty(MOVED),
    )


def _bins(rule: int, partitions: int) -> Bins:
    index = open_consumers.make_index(rule, partitions, indexed=True)
    assert index is not None
    return Bins(index, *open_consumers.create(partitions, index))
