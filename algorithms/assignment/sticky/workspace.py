"""The memory that sticky repair works in, made once per stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import fit_rules, matching, open_consumers
from algorithms.assignment.sticky import ledger
from algorithms.core.arrays import Bools, Floats, Ints, Longs

MOVED = 512
"""Migrated partitions that are packed anew together."""


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
        Room of `algorithms.assignment.matching`.
    members : int32[P]
        Members of one consumer.
    keys, ranks, spare : float64[P], int64[P], int64[P]
        Their speeds, and their order; room to sort.
    base, trial : int32[P]
        Assignment after evictions, and one that is tried.
    past : int32[P]
        What FFD had at the iteration before.
    by_load, by_id : Bins
        For best fit and for first fit decreasing.
    queue, linked : int32[P], int32[P]
        Consumers to look at, and migrated partitions in the order in which they share consumers.
    seen : bool[P]
        Consumers that have been queued.
    moved, others : int32[2, MOVED]
        Lists of migrated partitions, and one that is tried; see
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
    """Room for so many partitions; O(P)."""
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
