"""What a simulated group remembers of incidents: arrays, which kernels change in place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs

NEXT_ROW, OUTAGES, PROGRESS, SIZE, UNKNOWN = range(5)
"""Counters: the next change; outages under way; the progress of a restart, and the members that it
replaces; whether the action under way replaces members that crashed."""

NONE, WAITS, MOVES, RETURNS = range(4)
"""Progress of a restart: there is none; its next step waits; a step is under way; static members
are away and come back."""

LIMIT, READY, PAUSE, SURGE, UNAVAILABLE, OVERLAPS = range(6)
"""Numbers: what all members serve together at most, events/s; when the next step of a restart may
begin, and the time from one step to the next, s; its limits, as they are declared; when a restart
began before another was over, s."""


class Incidents(NamedTuple):
    """Incidents of a group."""

    counts: Longs
    """int64[5]: see `NEXT_ROW`."""
    numbers: Floats
    """float64[6]: see `LIMIT`."""
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


def create(ids: int, limit: float, changes: int) -> Incidents:
    """No incident yet, in a group with so many ids, to which so many changes come."""
    numbers = np.zeros(6)
    numbers[LIMIT], numbers[OVERLAPS] = limit, np.inf
    return Incidents(
        np.zeros(5, np.int64),
        numbers,
        np.zeros(ids, np.bool_),
        np.full(ids, np.inf),
        np.zeros(ids, np.bool_),
        np.full(ids, -np.inf),
        np.full(changes, np.inf),
    )
