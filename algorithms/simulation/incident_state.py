"""What a simulated group remembers of incidents: arrays, which kernels change in place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs

NEXT_ROW, OUTAGES, PROGRESS, SIZE, UNKNOWN, BLIND, IS_READ, COUNTED = range(8)
"""Counters: the next change; outages under way; the progress of a restart, and the members that it
replaces; whether the action under way replaces members that crashed; what is read of the group, and
whether anything was read before; steps whose arrivals are counted."""

NONE, WAITS, MOVES, RETURNS = range(4)
"""Progress of a restart: there is none; its next step waits; a step is under way; static members
are away and come back."""

LIMIT, READY, PAUSE, SURGE, UNAVAILABLE, OVERLAPS, REPLACED, ENDS = range(8)
"""Numbers: what all members serve together at most, events/s; when the next step of a restart may
begin, and the time from one step to the next, s; its limits, as they are declared; when a restart
began before another was over, s; minus the share of the members that it replaces; when they end, s,
negative where that is open."""


class Sight(NamedTuple):
    """What is read of a blind group."""

    lags: Floats
    rates: Floats
    counts: Floats
    """`lags`, `rates`, `counts`: float64[P], float64[P], float64[W]: what was read last."""
    consumed: Bools
    """bool[P]: which partitions seem to have been consumed."""
    arrived: Floats
    """float64[P]: events that had arrived in each partition as they were counted last."""


class Incidents(NamedTuple):
    """Incidents of a group."""

    counts: Longs
    """int64[8]: see `NEXT_ROW`."""
    numbers: Floats
    """float64[8]: see `LIMIT`."""
    down: Bools
    """bool[I]: whether the member of each id is gone, as long as the group counts it."""
    missed: Floats
    """float64[I]: when the group notices that, s; infinite for one that comes back."""
    old: Bools
    """bool[I]: whether a restart has still to replace the member of each id."""
    joined: Floats
    """float64[I]: when each id last joined, s."""
    over: Floats
    """float64[K]: when the group had settled after each change, s; infinite before."""
    sight: Sight


def create(ids: int, limit: float, changes: int, partitions: int, window: int) -> Incidents:
    """No incident yet.

    ids: Ids of members in the group.
    limit: Rate that all members share, events/s.
    changes: Changes that come to it.
    partitions, window: Partitions P, and steps W that a strategy sees at once.
    """
    p = partitions
    numbers = np.zeros(8)
    numbers[LIMIT], numbers[OVERLAPS] = limit, np.inf
    return Incidents(
        np.zeros(8, np.int64),
        numbers,
        np.zeros(ids, np.bool_),
        np.full(ids, np.inf),
        np.zeros(ids, np.bool_),
        np.full(ids, -np.inf),
        np.full(changes, np.inf),
        Sight(np.zeros(p), np.zeros(p), np.zeros(window), np.zeros(p, np.bool_), np.zeros(p)),
    )
