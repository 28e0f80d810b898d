"""Quantiles of the latency of all data under an assignment, by the latency model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import Bools, Floats, Ints
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores import latency_model
from algorithms.scores.percentiles import order_statistic
from algorithms.scores.progressions import Progressions


def quantiles(
    rates: Floats,
    consumers: Ints,
    consumer_capacity: float,
    shares: Sequence[float],
    iteration_seconds: float = 30.0,
    rebalance_seconds: float = 5.0,
    counted: Bools | None = None,
) -> Floats:
    """Quantiles of the latencies of all data, also of data that does not wait.

    rates, consumers, consumer_capacity, iteration_seconds, rebalance_seconds: As for
        `algorithms.scores.latency_model.summarise`.
    shares: Shares of the samples, ``0 .. 1``.
    counted: bool[N], iterations whose samples count; None for all but the first, which has none.
    Returns: float64[len(shares)], quantiles with linear interpolation between order statistics, s;
        +inf where they fall on data that is never read, NaN if there are no samples.

    Byte i of 60 is i/20 s late, so byte 0 is not.

    >>> rates = np.array([[20.0], [20.0]])
    >>> held = np.array([[0], [0]], dtype=np.int32)
    >>> quantiles(rates, held, 10.0, [0.0, 0.5, 1.0], iteration_seconds=3.0).tolist()
    [0.0, 1.475, 2.95]
    """
    for share in shares:
        if not 0.0 <= share <= 1.0:
            raise InvalidParameterError(f"shares must be between 0 and 1 (got {share})")
    times = (iteration_seconds, rebalance_seconds)
    n_samples, samples = latency_model.samples_of(
        rates, consumers, consumer_capacity, *times, counted
    )
    return np.array([_quantile(samples, n_samples, share) for share in shares])


def _quantile(samples: Progressions, n_samples: int, share: float) -> float:
    """Quantile of the given samples and of as many zeros as are missing."""
    if n_samples == 0:
        return math.nan
    zeros = n_samples - int(samples.size.sum())
    place = (n_samples - 1) * share
    low = math.floor(place)
    ends = [
        order_statistic(samples, rank - zeros) if rank >= zeros else 0.0
        for rank in (low, min(low + 1, n_samples - 1))
    ]
    weight = place - low
    if weight == 0.0 or math.isinf(ends[1]):
        # Between a finite and an infinite sample lies an infinite value.
        return ends[0] if weight == 0.0 else math.inf
    return ends[0] + (ends[1] - ends[0]) * weight
