"""Percentiles of waiting times from their segments, without sorting them."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.simulation import latency_segments
from algorithms.simulation.latency_segments import (
    AT_ONCE,
    BELOW,
    BINS,
    DENSITY,
    EMPTIED,
    END,
    EVENTS,
    HI,
    LO,
    MASS,
    START,
    STORED,
    Latencies,
)

_SAME_SHARE = 1e-12
"""Share of all events by which sums may differ through rounding."""

_NARROW_S = 1e-12
"""Width of a bin that is not searched any closer."""

_MANY = 10_000
"""Stored segments from which they are counted in bins first."""


def percentiles(
    latencies: Latencies, left: float, shares: Floats, windows: Longs
) -> tuple[Floats, Floats]:
    """Least waits that given shares of the events do not exceed.

    latencies: All waits of a run. The order of stored segments changes.
    left: Events that never departed: their wait is infinite.
    shares: float64[Q], shares of the events, between 0 and 1.
    windows: int64[Q], window that contains each percentile.
    Returns: float64[Q], ``min {l : F(l) >= share}``, NaN where a further pass over the run must
        look closer, as the buffer was emptied; and float64[Q, 2], its intervals.

    Segments are counted in bins, which leaves one bin per percentile. There, the end of some
    segment splits the interval, and the half with the percentile is searched. O(S) for S segments,
    on average. Where events reach the share but for rounding errors of their sum, they reach it.
    """
    events = latencies.sums[MASS] + left
    slack = _SAME_SHARE * events
    targets = shares * events
    waits = np.full(shares.size, np.nan)
    waits[targets <= latencies.sums[AT_ONCE] + slack] = 0.0
    waits[(targets > latencies.sums[MASS] + slack)] = np.inf
    searched = np.isnan(waits)
    kept = latencies.counters[EMPTIED] == 0
    closer = np.zeros((shares.size, 2))
    if not kept or latencies.counters[STORED] > _MANY:
        without_stored = latencies.windows.copy()
        for w in np.unique(windows[searched]):
            inside = searched & (windows == w)
            closer[inside] = _bins_with(latencies, int(w), targets[inside] - slack)
        if kept:
            latencies.windows[:] = without_stored
            latencies = latency_segments.narrowed(latencies, closer[searched], windows[searched])
            windows = np.cumsum(searched) - 1
    for i in np.flatnonzero(searched):
        if kept:
            waits[i] = _select(latencies, int(windows[i]), targets[i], slack)
        elif closer[i, 1] - closer[i, 0] <= _NARROW_S:
            waits[i] = closer[i, 0]
    return waits, closer


def _bins_with(latencies: Latencies, w: int, targets: Floats) -> Floats:
    """The bins of a window in which as many events as aimed at are reached."""
    latency_segments.count_in_bins(latencies, w)
    start, end, below, density = (float(value) for value in latencies.windows[w])
    squares = (np.arange(BINS + 1) / BINS) ** 2
    edges = (end - start) * (squares * squares)
    partial, full = latencies.bins[w, :, :BINS]
    counts = partial + (np.cumsum(full) + density) * np.diff(edges)
    up_to = latencies.sums[AT_ONCE] + below + np.cumsum(counts)
    i = np.minimum(np.searchsorted(up_to, targets), BINS - 1)
    return start + np.column_stack((edges[i], np.minimum(edges[i + 1], end - start)))


@kernel
def _select(latencies: Latencies, w: int, target: float, slack: float) -> float:
    """Least wait within a window that as many events as aimed at do not exceed."""
    rows, window = latencies.segments, latencies.windows[w]
    start, end = window[START], window[END]
    base, density = latencies.sums[AT_ONCE] + window[BELOW], window[DENSITY]
    n = latencies.counters[STORED]
    while True:
        n, base, density = _sum_up(rows, n, start, end, base, density)
        if n == 0:
            break
        middle = rows[n // 2, LO]
        if not start < middle < end:
            middle = rows[n // 2, HI]
        if base + density * (middle - start) + _up_to(rows, n, middle) >= target - slack:
            end = middle
        else:
            base += density * (middle - start)
            start = middle
    if target <= base + slack:
        return float(start)
    if density <= 0.0:
        return float(end)
    return float(min(start + (target - base) / density, end))


@kernel
def _sum_up(
    rows: Floats, n: int, start: float, end: float, base: float, density: float
) -> tuple[int, float, float]:
    """Sum up segments without an end inside a window, and move them behind the others."""
    kept = 0
    for i in range(n):
        lo, hi = rows[i, LO], rows[i, HI]
        if start < lo < end or start < hi < end:
            _swap(rows, i, kept)
            kept += 1
        elif hi <= start:
            base += rows[i, EVENTS]
        elif lo < end:
            spread = rows[i, EVENTS] / (hi - lo)
            base += spread * (start - lo)
            density += spread
    return kept, base, density


@kernel
def _swap(rows: Floats, i: int, j: int) -> None:
    for column in range(rows.shape[1]):
        rows[i, column], rows[j, column] = rows[j, column], rows[i, column]


@kernel
def _up_to(rows: Floats, n: int, wait: float) -> float:
    """Events of the first n segments that wait no longer."""
    total = 0.0
    for i in range(n):
        lo, hi = rows[i, LO], rows[i, HI]
        if hi <= wait:
            total += rows[i, EVENTS]
        elif lo < wait:
            total += rows[i, EVENTS] * ((wait - lo) / (hi - lo))
    return total
