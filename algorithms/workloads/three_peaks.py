"""A total rate with the shape of a published workload: three peaks in ten minutes, each higher.

Ezzeddine 2024 (Section 5.1) measures autoscalers on 600 rates, of 181.25 events/s on average and of
350 at most. Here the turning points are 0, 200, 150, 275, 150, 350 and 0 events/s, joined by the
cubic that is flat at both. At a peak of 350 events/s, means are equal to 1e-7 events/s, maxima
differ by 0.003, single rates by 3.5 at most, and the correlation is 0.9999.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count
from algorithms.core.input_errors import InvalidParameterError

PEAK, MEAN = 350.0, 181.25
"""Peak and mean of the turning points, events/s."""

_TIMES = (0.0, 125.0, 212.5, 300.0, 387.5, 475.0, 600.0)
_RATES = (0.0, 200.0, 150.0, 275.0, 150.0, PEAK, 0.0)
"""Turning points: times in s, rates in events/s."""


def three_peaks(steps: int, high: float = PEAK) -> Floats:
    """Generate the total rate of a topic, step by step.

    steps: Number of steps N, at least 1; the shape takes all of them.
    high: Rate of the last and highest peak, finite and at least 0.
    Returns: float64[N], rates in the unit of `high`, each that of the middle of its step.

    Only basic operations are used, so the rates have the same bits on every machine. O(N).

    >>> three_peaks(6).round().tolist()
    [70.0, 190.0, 199.0, 199.0, 310.0, 123.0]
    """
    n = check_count("steps", steps, 1, MAX_PARTITIONS)
    if not (math.isfinite(high) and high >= 0.0):
        raise InvalidParameterError(f"high must be finite and at least 0 (got {high})")
    times = (np.arange(n) + 0.5) / n * _TIMES[-1]
    turns, levels = np.array(_TIMES), np.array(_RATES)
    part = np.searchsorted(turns, times, "right") - 1
    share = (times - turns[part]) / (turns[part + 1] - turns[part])
    rise = share * share * (3.0 - 2.0 * share)
    rates: Floats = (levels[part] + (levels[part + 1] - levels[part]) * rise) * (high / PEAK)
    return rates
