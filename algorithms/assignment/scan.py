"""Search by a scan over all consumers: no upkeep, and the fastest way while they are few.

Loads are also passed as ``bits``, the same memory read as integers. Non-negative numbers have the
same order in both. The compiler vectorizes the search for the extreme integer, but not that for the
extreme float.

Each function takes the number of consumers to scan, ``top``. Consumers that are not open have an
infinite load, into which nothing fits.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

_NOWHERE = -1
_GREATEST = np.iinfo(np.int64).max


@kernel
def first_fit(loads: Floats, top: int, speed: float, capacity: float) -> int:
    """Lowest id with room, or -1. O(top)."""
    for consumer in range(top):
        if loads[consumer] + speed <= capacity:
            return consumer
    return _NOWHERE


@kernel
def best_fit(loads: Floats, bits: Longs, top: int, speed: float, capacity: float) -> int:
    """Lowest id among those of the highest load with room, or -1. O(top)."""
    return _lowest_id_with(bits, top, _highest_that_fits(loads, bits, top, speed, capacity))


@kernel
def least_loaded(bits: Longs, top: int) -> int:
    """Lowest id among those of the lowest load, with room or not; -1 if there is none. O(top)."""
    return _lowest_id_with(bits, top, _lowest(bits, top))


@kernel
def _highest_that_fits(loads: Floats, bits: Longs, top: int, speed: float, capacity: float) -> int:
    highest = -1
    for consumer in range(top):
        load = bits[consumer] if loads[consumer] + speed <= capacity else -1
        highest = max(highest, load)
    return int(highest)


@kernel
def _lowest(bits: Longs, top: int) -> int:
    lowest = _GREATEST
    for consumer in range(top):
        lowest = min(lowest, bits[consumer])
    return int(lowest)


@kernel
def _lowest_id_with(bits: Longs, top: int, load: int) -> int:
    for consumer in range(top):
        if bits[consumer] == load:
            return consumer
    return _NOWHERE
