"""Lines of long series: few points, and every peak is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pipeline.reporting.drawing import svg

MOST_POINTS = 2_000
"""Points of a line; a figure is less than half as many pixels wide."""

SPANS = 240
"""Most spans of time that a line has a level for: three pixels or more of a wide figure."""

Values = NDArray[np.float64] | NDArray[np.int64]


def span(n: int) -> int:
    """Steps of each span that a series of ``n`` steps is divided into, at most `SPANS`."""
    return max(-(-n // SPANS), 1)


def levels(values: Values, reduce: Callable[[Values], float], step: float) -> list[svg.Point]:
    """Points of a line that has one level within each span.

    reduce: From the values of a span to its level, such as their median.
    """
    n, size = len(values), span(len(values))
    starts = np.arange(0, n, size)
    level = [float(reduce(values[start : start + size])) for start in starts]
    edges = np.append(starts, n) * step
    times = np.stack((edges[:-1], edges[1:]), axis=1).ravel()
    return _corners(times, np.repeat(level, 2))


def band(values: Values, step: float) -> list[svg.Point]:
    """Area from the least to the greatest value of each span; empty where a span is one step."""
    if span(len(values)) == 1:
        return []
    return [*levels(values, np.max, step), *reversed(levels(values, np.min, step))]


def steps(values: Values, step: float) -> list[svg.Point]:
    """Points of a line that is constant within each step of a series.

    values: ``[N]``, the value of each step.
    step: Length of a step; the first one begins at 0.
    Returns: At most `MOST_POINTS`. A series of more than half as many steps is reduced to its
        minimum and maximum in each of as many equal spans of time.
    """
    n = len(values)
    if 2 * n > MOST_POINTS:
        return _envelope(values, (np.arange(n, dtype=np.float64) + 0.5) * step)
    edges = np.arange(n + 1, dtype=np.float64) * step
    times = np.stack((edges[:-1], edges[1:]), axis=1).ravel()
    return _corners(times, np.repeat(np.asarray(values, np.float64), 2))


def _envelope(values: Values, times: NDArray[np.float64]) -> list[svg.Point]:
    """Minimum and maximum of each span, in their order in time."""
    spans = np.array_split(np.arange(len(values)), MOST_POINTS // 2)
    ends = [
        sorted((int(span[values[span].argmin()]), int(span[values[span].argmax()])))
        for span in spans
    ]
    places = np.unique(np.array(ends).ravel())
    return _corners(times[places], np.asarray(values, np.float64)[places])


def _corners(times: NDArray[np.float64], values: NDArray[np.float64]) -> list[svg.Point]:
    """The points without those between two of the same value."""
    same = np.zeros(len(values), dtype=bool)
    same[1:-1] = (values[1:-1] == values[:-2]) & (values[1:-1] == values[2:])
    return list(zip(times[~same].tolist(), values[~same].tolist(), strict=True))
