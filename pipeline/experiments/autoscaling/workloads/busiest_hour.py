"""The busiest hour of a workload, and the time around it."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats

HOUR_S = 3600.0
LEAD_S, AFTER_S = HOUR_S, 8.0 * HOUR_S
"""Time that is simulated before and after the busiest hour begins, s."""

_SAME = 1e-9


def starts_s(rates: Floats, step_s: float, lasts_s: float = 0.0) -> float:
    """When the hour with most events begins, s: the first one of several.

    rates: float64[N, P], events/s.
    lasts_s: What begins then ends this much later: earlier if the workload ends before, s.
    """
    steps = min(max(round(HOUR_S / step_s), 1), len(rates))
    so_far = np.concatenate([[0.0], np.cumsum(rates.sum(axis=1))])
    totals = so_far[steps:] - so_far[:-steps]
    # Sums of equal hours differ by rounding.
    first = float(np.argmax(totals >= totals.max() * (1.0 - _SAME))) * step_s
    latest = max(math.floor((len(rates) * step_s - lasts_s) / step_s), 0) * step_s
    return min(first, latest)


def mean_rate(rates: Floats, step_s: float) -> float:
    """Mean total rate of that hour, or of the workload if that is shorter, events/s."""
    first = round(starts_s(rates, step_s) / step_s)
    hour = rates[first : first + max(round(HOUR_S / step_s), 1)]
    return float(hour.sum(axis=1).mean())


def around(
    at_s: float, steps: int, step_s: float, lead_s: float = LEAD_S, after_s: float = AFTER_S
) -> slice:
    """Steps from `lead_s` before a time to `after_s` after it, as far as there are any."""
    first = max(round((at_s - lead_s) / step_s), 0)
    return slice(first, min(round((at_s + after_s) / step_s), steps))
