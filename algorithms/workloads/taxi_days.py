"""A total rate with the shape of a published workload: three days of taxi trips in two hours.

Ezzeddine 2024 (Section 5.1) measures autoscalers on 7,207 rates, of 182.07 events/s on average and
of 368 at most, which begin within a day. Here rates change evenly between 40 turning points. At a
peak of 368 events/s, means are equal to 0.01 events/s, single rates differ by 23 at most and by 4.3
on average, and the correlation is 0.998. The published rates also alternate by some events/s.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Floats, check_count
from algorithms.core.input_errors import InvalidParameterError

PEAK, MEAN = 368.0, 182.07
"""Peak and mean of the published rates, events/s."""

_TURNS: Final = (
    *((0, 0), (20, 25), (60, 250), (80, 335), (130, 260), (180, 350), (310, 320), (540, 115)),
    *((770, 65), (920, 95), (1200, 240), (1550, 217), (1720, 249), (1930, 172), (2060, 177)),
    *((2320, 45), (2510, 16), (2690, 39), (2990, 282), (3200, 212), (3550, 245), (3690, 213)),
    *((3880, 338), (4070, 245), (4240, 203), (4500, 54), (4670, 20), (4880, 48), (5160, 306)),
    *((5360, 226), (5670, 255), (5860, 217), (5990, 332), (6060, PEAK), (6200, 297), (6320, 300)),
    *((6650, 83), (6830, 32), (7040, 37), (7207, 215)),
)
"""Turning points: times in s, rates in events/s."""


def taxi_days(steps: int, high: float = PEAK) -> Floats:
    """Generate the total rate of a topic, step by step.

    steps: Number of steps N, at least 1; the shape takes all of them.
    high: Highest rate, on the evening of the last day, finite and at least 0.
    Returns: float64[N], rates in the unit of `high`, each that of the middle of its step.

    Only basic operations are used, so the rates have the same bits on every machine. O(N).

    >>> taxi_days(6).round().tolist()
    [102.0, 219.0, 278.0, 212.0, 230.0, 112.0]
    """
    n = check_count("steps", steps, 1, MAX_PARTITIONS)
    if not (math.isfinite(high) and high >= 0.0):
        raise InvalidParameterError(f"high must be finite and at least 0 (got {high})")
    turns, levels = np.array(_TURNS, np.float64).T
    times = (np.arange(n) + 0.5) / n * turns[-1]
    part = np.searchsorted(turns, times, "right") - 1
    share = (times - turns[part]) / (turns[part + 1] - turns[part])
    rates: Floats = (levels[part] + (levels[part + 1] - levels[part]) * share) * (high / PEAK)
    return rates
