"""Partitions of records whose keys are hashed: each record's is drawn."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, check_seed


def spread(events: Floats, seed: int) -> Floats:
    """Draw the partition of each event, with the shares that the partitions of its step have.

    events: float64[N, P], events of each step and partition, finite and at least 0; the total of a
        step is an integer up to rounding.
    seed: Seed of the draws, ``0 .. 2**63 - 1``.
    Returns: float64[N, P], integers with the same totals.

    The counts of a step are multinomial. O(N P).

    >>> spread(np.full((2, 4), 25.0), seed=1).sum(axis=1).tolist()
    [100.0, 100.0]
    """
    totals = events.sum(axis=1)
    # A step without events has no shares: any do.
    is_some = totals > 0.0
    shares = np.full(events.shape, 1.0 / events.shape[1])
    shares[is_some] = events[is_some] / totals[is_some, None]
    generator = np.random.Generator(np.random.PCG64(check_seed(seed)))
    counts: Floats = generator.multinomial(np.rint(totals).astype(np.int64), shares).astype(float)
    return counts
