"""Speeds in integer units of a grid, rounded down: what fits by speed fits by units as well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import TOLERANCE, Bools, Floats, Longs
from algorithms.core.compiled import allocating

_BELOW = 1.0 - 1e-12
"""Keeps the rounding of a product from lifting a speed to the next unit."""


class Grid(NamedTuple):
    """Sizes of partitions in units."""

    units: Longs
    """int64[n]: sizes, rounded down, at most `room`."""
    room: int
    """Units of a consumer."""


def limit_of(capacity: float) -> float:
    """Highest load of a consumer with several partitions, including rounding of sums."""
    return capacity * (1.0 + TOLERANCE)


def grid(sizes: Floats, capacity: float, finest: int) -> Grid:
    """Round sizes down to units.

    sizes: float64[n], at most `limit_of` the capacity.
    capacity: C, in the unit of the sizes.
    finest: Most units that a consumer may have.
    Returns: exact for integers if C is an integer and at most `finest`; else C has `finest` units.
    """
    whole = capacity == np.floor(capacity) and bool(np.all(sizes == np.floor(sizes)))
    if whole and capacity <= finest:
        return Grid(sizes.astype(np.int64), int(capacity))
    units = np.floor(sizes * (finest / capacity) * _BELOW).astype(np.int64)
    return Grid(np.minimum(units, finest), finest)


@allocating
def repaired(chosen: Bools, order: Longs, sizes: Floats, limit: float) -> Bools:
    """Turn a pattern that fits by units into one that fits by speed, and add what else fits.

    order: int64[n], partitions in the order in which they are kept, if chosen, and then added.
    """
    kept = np.zeros_like(chosen)
    load = 0.0
    for is_chosen in (True, False):
        for j in order:
            if chosen[j] == is_chosen and load + sizes[j] <= limit:
                kept[j] = True
                load += sizes[j]
    return kept
