"""How near our level must be to a printed one: in a range of ours, or like a fixed count."""

from __future__ import annotations

import math

import numpy as np

from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.tolerances import Judged, Measured
from schemas.verdicts import CONSISTENT, DIFFERS, EXACT, NOT_COMPARABLE, NOT_REPRODUCED

NEAR = 0.01
"""Share of a printed value within which what follows from a fixed count is like it."""


def in_range(printed: Printed, mean: float, low: float, high: float, range_of: str) -> Judged:
    """A level: whether it lies in the range of ours; never more than consistent.

    range_of: What the range is over, in words.
    """
    is_inside = high < printed.value if printed.is_bound else printed.possible(low, high)
    return Judged(
        CONSISTENT if is_inside else DIFFERS,
        printed.beside(mean),
        mean,
        low,
        high,
        f"{printed.beside(low)} to {printed.beside(high)}" if low < high else None,
        printed.difference(mean),
        f"interval: range of {range_of}",
    )


def like_fixed(printed: Printed, unit: str, measured: Measured) -> Judged:
    """What follows from a fixed number of consumers: whether ours is like it."""
    mean = float(np.mean(measured.values)) if len(measured.values) else math.nan
    if math.isnan(mean):
        return Judged(NOT_COMPARABLE)
    is_like = abs(mean - printed.value) <= NEAR * printed.value
    verdict = EXACT if is_like else NOT_REPRODUCED
    return Judged(verdict, printed.beside(mean), mean, difference=printed.difference(mean))
