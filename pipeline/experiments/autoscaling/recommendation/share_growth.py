"""How much the shares of partitions change in a recording: what a fixed table cannot know."""

from __future__ import annotations

import math

import numpy as np

from algorithms.autoscaling.count_thresholds import thresholds
from algorithms.core.arrays import Floats

PART_S, MOST_PARTS = 900.0, 24
"""Least length of the parts of a recording that are compared, s, and their number at most."""

BUSY = 0.5
"""Parts with less of the mean load do not count: the table has margin there."""


def growth(
    rates: Floats, step_s: float, mu: float, assignor: str, topics: tuple[int, ...] = ()
) -> float:
    """Greatest share of the fullest member in a busy part, over that by mean shares.

    rates: float64[N, P], some above 0.
    mu: Rate of one member: numbers of members that the peak needs are tried.
    topics: As in `algorithms.autoscaling.scaled_group.Group`.
    Returns: at least 1.

    >>> half = np.repeat([[3.0, 1.0], [1.0, 3.0]], 900, axis=0)
    >>> growth(half, 1.0, 2.0, "range")
    1.5
    """
    parts = int(min(max(len(rates) * step_s // PART_S, 1), MOST_PARTS))
    most = min(math.ceil(float(rates.sum(axis=1).max()) / mu), rates.shape[1])
    events = np.array([part.mean(axis=0) for part in np.array_split(rates, parts)])
    busy = events[events.sum(axis=1) >= BUSY * rates.sum(axis=1).mean()]
    by_mean = _rates_of(rates.mean(axis=0), assignor, most, topics)
    return max(
        (float((by_mean / _rates_of(part, assignor, most, topics)).max()) for part in busy),
        default=1.0,
    )


def _rates_of(shares: Floats, assignor: str, most: int, topics: tuple[int, ...]) -> Floats:
    """Total rate, in those of one member, that 1, 2, … members carry."""
    return thresholds(shares, assignor, 1.0, 1.0, most + 1, topics)
