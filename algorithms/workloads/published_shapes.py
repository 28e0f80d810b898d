"""Generated rates with the shapes of published workloads, by the name of their profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from algorithms.core.arrays import Floats
from algorithms.workloads import taxi_days, three_peaks


class Shape(NamedTuple):
    """A generated total rate."""

    rates: Callable[[int, float], Floats]
    """Rates of so many steps with so high a peak."""
    peak: float
    """Of the published workload, events/s."""


SHAPES: Final[Mapping[str, Shape]] = {
    "three_peaks": Shape(three_peaks.three_peaks, three_peaks.PEAK),
    "taxi_days": Shape(taxi_days.taxi_days, taxi_days.PEAK),
}
