"""The counts of `headroom` as a table, for shares that do not change: what a formula can compute.

KEDA's ``scalingModifiers.formula`` holds such a table, so that no process of ours decides.
"""

from __future__ import annotations

import numpy as np

from algorithms.autoscaling.number_checks import check_number, check_values
from algorithms.core.arrays import Floats, Longs, check_count


def thresholds(
    shares: Floats,
    assignor: str,
    capacity: float,
    h: float,
    max_replicas: int,
    topics: tuple[int, ...] = (),
) -> Floats:
    """Return the rates above which more than 1, 2, … replicas are needed.

    shares: float64[P], mean rate or share of each partition, at least 0. If all are 0, all
        partitions have equal shares.
    assignor: Name of the group's assignor. It starts without owners and lags.
    capacity: Rate that one replica may have, events/s.
    h: Margin over the rate, as a factor.
    topics: As in `algorithms.autoscaling.scaled_group.Group`.
    Returns: float64[max_replicas - 1], ascending; equal neighbours mean that a replica more helps
        nobody. At a rate m there are ``1 + (m > result).sum()`` replicas: the least n with
        ``h * m * top_n <= capacity``, at most `max_replicas`, where ``top_n`` is the largest share
        that one of n members gets.

    Four replicas of nine equal partitions carry the same largest share as three.

    >>> thresholds(np.ones(9), "range", 100.0, 1.0, 5).round(6).tolist()
    [100.0, 180.0, 300.0, 300.0]
    """
    weights = check_values("shares", shares, np.size(shares))
    most = check_count("max_replicas", max_replicas, 1, 2**31 - 1)
    margin = check_number("h", h, above=0.0)
    rate = check_number("capacity", capacity, above=0.0)
    if not weights.any():
        weights = np.ones(weights.size)
    top = [_largest(weights, assignor, n, topics) for n in range(1, most)]
    return np.maximum.accumulate(rate * weights.sum() / (margin * np.array(top, np.float64)))


def _largest(weights: Floats, assignor: str, members: int, topics: tuple[int, ...]) -> float:
    """Largest rate of a member of a new group."""
    from algorithms.assignment.assignors import assignor_names, placement

    owners: Longs = np.full(weights.size, placement.UNOWNED, np.int64)
    scratch = placement.scratch(weights.size, members, topics or None)
    placement.settle(
        assignor_names.code_of(assignor),
        np.arange(members),
        owners.copy(),
        np.zeros(weights.size),
        owners,
        scratch,
    )
    return float(np.bincount(owners, weights).max())
