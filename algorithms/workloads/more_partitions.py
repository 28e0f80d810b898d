"""The same load on several times as many partitions, as far as a recording can tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import Floats

EVEN, ONE_KEY = "even", "one key"
"""What is known of the keys: each partition has many small ones, or what it gets more than the
median partition of its topic is a single key, which cannot be split."""


def multiplied(rates: Floats, topics: Sequence[int], factor: int, keys: str = EVEN) -> Floats:
    """Rates if each topic had `factor` times as many partitions.

    rates: float64[N, P], rates in events/s.
    topics: Partitions of each topic, in the order of the columns.
    factor: Whole multiple, at least 1: with Kafka's hash of keys, the keys of partition p then are
        in p, p + n, p + 2n … of n partitions; other numbers move all keys.
    keys: `EVEN` or `ONE_KEY`.
    Returns: float64[N, factor × P], in each topic first the partitions as they were, with what
        stays there, then the new ones.

    >>> rates = np.array([[1.0, 1.0, 4.0]])
    >>> multiplied(rates, (3,), 2).tolist(), multiplied(rates, (3,), 2, ONE_KEY).tolist()
    ([[0.5, 0.5, 2.0, 0.5, 0.5, 2.0]], [[0.5, 0.5, 3.5, 0.5, 0.5, 0.5]])
    """
    columns = []
    for part in np.split(rates, np.cumsum(topics)[:-1], axis=1):
        whole = part * (_whole_share(part) if keys == ONE_KEY else 0.0)
        spread = (part - whole) / factor
        columns += [spread + whole, *([spread] * (factor - 1))]
    return np.ascontiguousarray(np.concatenate(columns, axis=1))


def _whole_share(part: Floats) -> Floats:
    """Share of each partition's events that is more than the median partition gets."""
    means = part.mean(axis=0)
    excess = np.maximum(means - np.median(means), 0.0)
    share: Floats = np.divide(excess, means, out=np.zeros_like(means), where=means > 0.0)
    return share


def hottest_share(rates: Floats, topics: Sequence[int]) -> float:
    """Greatest rate, events/s, that no number of partitions lowers if it is a single key."""
    peaks = [
        float((part * _whole_share(part)).max(initial=0.0))
        for part in np.split(rates, np.cumsum(topics)[:-1], axis=1)
    ]
    return max(peaks)
