"""Parts of recorded steps that are longer than the time between two decisions."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats

MOST_STEPS, MOST_RATES = 200_000, 4_000_000
"""Steps, and rates (steps × partitions), of a workload that may be cut into shorter ones: several
hundred simulations of more take many minutes."""

_PARTS_S = (1.0, 5.0, 15.0)
_EXACT = 1e-9


def count(steps: int, partitions: int, step_s: float) -> int:
    """Return the number of equal parts that each step is cut into; 1 leaves steps as they are.

    Strategies decide at multiples of a step, some of them each second. Steps longer than a second
    get parts of about a second. If a workload would have more than `MOST_STEPS` or `MOST_RATES`
    then, parts are of 5 or 15 s where that fits, which the pod autoscaler needs, else steps stay as
    they are.

    >>> count(1440, 10, 60.0), count(2880, 40, 60.0), count(100, 1, 0.5)
    (60, 12, 1)
    """
    most = min(MOST_STEPS, MOST_RATES // partitions)
    for part_s in _PARTS_S:
        parts = math.ceil(step_s / part_s - _EXACT)
        fits = part_s == _PARTS_S[0] or abs(step_s - parts * part_s) <= _EXACT * step_s
        if parts > 1 and fits and steps * parts <= most:
            return parts
    return 1


def refined(rates: Floats, step_s: float) -> tuple[Floats, float]:
    """Cut the steps of a workload into `count` parts each, with the same rates.

    Where events arrive evenly over a step, shorter steps change nothing but when strategies decide.

    rates: float64[N, P], rates, events/s.
    Returns: rates, and the length of a part in s.
    """
    parts = count(rates.shape[0], rates.shape[1], step_s)
    return (np.repeat(rates, parts, axis=0), step_s / parts) if parts > 1 else (rates, step_s)
