"""Passes applied to each assignment before the next iteration: matching and polishing.

Kernels take `Passes`, or None for no passes, and are compiled separately for both, so that an
algorithm without passes has no overhead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment import matching
from algorithms.assignment.sticky import ledger, polish
from algorithms.assignment.sticky.risk import TERMS
from algorithms.assignment.sticky.state import State
from algorithms.core import sorting
from algorithms.core.arrays import Bools, Floats, Ints, Longs
from algorithms.core.compiled import kernel

_MATCHED, _POLISHED = 0, 1


class Passes(NamedTuple):
    """Which passes are applied, and their work arrays."""

    chosen: Bools
    """bool[2]: whether consumers are matched, and whether the assignment is polished."""
    ints: Ints
    floats: Floats
    """`ints`, `floats`: int32[...], float64[...]: work arrays of
    `algorithms.assignment.matching`."""
    state: State
    """Current and previous assignment, for polishing; risk and price do not count there."""
    spare: Longs
    """int64[P]: scratch space for sorting partitions."""


def make(partitions: int, capacity: float, matched: bool, polished: bool) -> Passes | None:
    """Create the work arrays of the selected passes.

    matched: Whether consumers get the ids that keep most bytes in place; see
        `algorithms.assignment.matching`.
    polished: Whether migrated partitions are returned home; see
        `algorithms.assignment.sticky.polish`.
    Returns: None if no pass is selected. O(P) memory.
    """
    if not (matched or polished):
        return None
    ints, floats = matching.create(partitions)
    state = ledger.create(partitions, capacity, np.zeros(TERMS))
    chosen, spare = np.array([matched, polished]), np.empty(partitions, np.int64)
    return Passes(chosen, ints, floats, state, spare)


@kernel
def finish(passes: Passes | None, keys: Floats, before: Ints, after: Ints) -> None:
    """Apply the selected passes to an assignment; neither increases the migrated bytes."""
    if passes is None:
        return
    if passes.chosen[_MATCHED]:
        matching.relabel(keys, before, after, passes.ints, passes.floats)
    if passes.chosen[_POLISHED]:
        state = passes.state
        for j in range(keys.shape[0]):
            state.speeds[j] = keys[j]
            state.home[j] = before[j]
        sorting.descending(keys, state.order, passes.spare)
        ledger.build(state, after)
        polish.run(state, polish.PASSES)
        ledger.take(state, after)
