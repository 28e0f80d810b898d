"""Waiting times of all events of a run as segments: mass, least and greatest, uniform in between.

Events that depart at a steady rate, and arrived at a steady rate or at once, have waiting times
that are spread evenly over an interval. Sums over segments are exact, whatever the number of events
is. Segments are stored for the percentiles. When the buffer is full, they are counted in bins
instead, and a further pass over the run looks closer at the bins that contain percentiles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

MASS, MOMENT, AT_ONCE, LATE, LONGEST, LONGEST_BEFORE = range(6)
"""Sums: events, their waiting times, those without wait, those above the limit; the greatest of the
present step, and that of all steps before."""

STORED, EMPTIED = range(2)
"""Counters: segments in the buffer, and how often it was emptied into bins."""

LO, HI, EVENTS = range(3)
"""Columns of a segment."""

START, END, BELOW, DENSITY = range(4)
"""Columns of a window: the interval in s. Of the events without a segment in the buffer or bins:
those that wait no longer than its start, and the density of those spread over all of it."""

PARTIAL, FULL = range(2)
"""Rows of a window's bins: events of segments that begin or end in a bin; changes, from one bin to
the next, of the density of those that reach over it."""

SAME_TIME_S = 1e-9
"""Waiting times that are longer than the limit by less than this are within it."""

MOST_STORED = 2**22
BINS = 2**14


class Latencies(NamedTuple):
    """Segments of waiting times, in seconds."""

    sums: Floats
    """float64[6]: see `MASS`."""
    counters: Longs
    """int64[2]: see `STORED`."""
    segments: Floats
    """float64[C, 3]: buffer of segments; see `LO`."""
    windows: Floats
    """float64[W, 4]: intervals in which percentiles are searched; see `START`."""
    bins: Floats
    """float64[W, 2, BINS + 1]: events of emptied buffers per bin of a window; see `PARTIAL`."""
    limit: float
    """Greatest wait that is not late."""


def create(intervals: Floats, limit: float, capacity: int) -> Latencies:
    """No waiting times yet.

    intervals: float64[W, 2], intervals in which percentiles are searched, in seconds.
    limit: Greatest wait that is not late, in seconds.
    capacity: Segments that the buffer holds, at least 1.
    """
    n = intervals.shape[0]
    windows = np.zeros((n, 4))
    windows[:, : END + 1] = intervals
    return Latencies(
        sums=np.zeros(6),
        counters=np.zeros(2, np.int64),
        segments=np.empty((capacity, 3)),
        windows=windows,
        bins=np.zeros((n, 2, BINS + 1)),
        limit=limit,
    )


def forget(latencies: Latencies) -> None:
    """Forget all segments and keep the windows."""
    for changed in (latencies.sums, latencies.counters, latencies.bins):
        changed[:] = 0
    latencies.windows[:, BELOW:] = 0.0


@kernel
def add_at_once(latencies: Latencies, events: float) -> None:
    """Count events that depart as they arrive."""
    latencies.sums[MASS] += events
    latencies.sums[AT_ONCE] += events
    if latencies.limit < -SAME_TIME_S:
        latencies.sums[LATE] += events


@inlined
def start_step(sums: Floats) -> float:
    """Begin a step; return the longest wait of the step before."""
    longest = sums[LONGEST]
    sums[LONGEST_BEFORE] = max(sums[LONGEST_BEFORE], longest)
    sums[LONGEST] = 0.0
    return float(longest)


@inlined
def add(latencies: Latencies, events: float, first: float, last: float) -> None:
    """Count events whose waits go evenly from that of the first to that of the last."""
    if not events > 0.0:
        return
    lo = max(min(first, last), 0.0)
    hi = max(first, last, 0.0)
    sums = latencies.sums
    sums[MASS] += events
    sums[MOMENT] += events * (0.5 * (lo + hi))
    sums[LONGEST] = max(sums[LONGEST], hi)
    sums[LATE] += late_part(events, lo, hi, latencies.limit)
    _store(latencies, events, lo, hi)


@inlined
def late_part(events: float, first: float, last: float, limit: float) -> float:
    """Those events, whose waits go evenly from first to last, that wait longer than the limit."""
    lo, hi = min(first, last), max(first, last)
    if hi <= limit + SAME_TIME_S:
        return 0.0
    return events * ((hi - limit) / (hi - lo)) if lo < limit else events


@inlined
def _store(latencies: Latencies, events: float, lo: float, hi: float) -> None:
    """Put a segment that begins or ends within a window into the buffer; sum up others."""
    windows, counters = latencies.windows, latencies.counters
    inside = False
    for w in range(windows.shape[0]):
        start, end = windows[w, START], windows[w, END]
        inside = inside or start < lo < end or start < hi < end
    if not inside:
        for w in range(windows.shape[0]):
            _pass_over(windows[w], events, lo, hi)
        return
    if counters[STORED] == latencies.segments.shape[0]:
        empty(latencies)
    row = latencies.segments[counters[STORED]]
    row[LO] = lo
    row[HI] = hi
    row[EVENTS] = events
    counters[STORED] += 1


@kernel
def _pass_over(window: Floats, events: float, lo: float, hi: float) -> None:
    """Count a segment that neither begins nor ends within a window."""
    if hi <= window[START]:
        window[BELOW] += events
    elif lo < window[END]:
        density = events / (hi - lo)
        window[BELOW] += density * (window[START] - lo)
        window[DENSITY] += density


@kernel
def empty(latencies: Latencies) -> None:
    """Count the stored segments in the bins of every window, and empty the buffer."""
    for w in range(latencies.windows.shape[0]):
        count_in_bins(latencies, w)
    latencies.counters[STORED] = 0
    latencies.counters[EMPTIED] += 1


@kernel
def count_in_bins(latencies: Latencies, w: int) -> None:
    """Count the stored segments in the bins of a window."""
    window, bins = latencies.windows[w], latencies.bins[w]
    for i in range(latencies.counters[STORED]):
        row = latencies.segments[i]
        _bin(window, bins, row[EVENTS], row[LO], row[HI])


def narrowed(latencies: Latencies, intervals: Floats, within: Longs) -> Latencies:
    """The same waits, with shorter intervals in which percentiles are searched.

    latencies: Its buffer must never have been emptied.
    intervals: float64[W, 2], as for `create`.
    within: int64[W], window of `latencies` that contains each interval.
    """
    others = create(intervals, latencies.limit, int(latencies.counters[STORED]))
    others.sums[:] = latencies.sums
    outer = latencies.windows[within]
    skipped = outer[:, DENSITY] * (others.windows[:, START] - outer[:, START])
    others.windows[:, BELOW] = outer[:, BELOW] + skipped
    others.windows[:, DENSITY] = outer[:, DENSITY]
    _store_all(latencies, others)
    return others


@kernel
def _store_all(latencies: Latencies, others: Latencies) -> None:
    for i in range(latencies.counters[STORED]):
        row = latencies.segments[i]
        _store(others, row[EVENTS], row[LO], row[HI])


@kernel
def _bin(window: Floats, bins: Floats, events: float, lo: float, hi: float) -> None:
    start, end = window[START], window[END]
    if hi <= start or lo >= end:
        window[BELOW] += events if hi <= start else 0.0
        return
    if lo >= start and hi == lo:
        bins[PARTIAL, _bin_of(lo - start, end - start)] += events
        return
    density = events / (hi - lo)
    window[BELOW] += density * max(start - lo, 0.0)
    _spread(bins, density, max(lo, start) - start, min(hi, end) - start, end - start)


@kernel
def _spread(bins: Floats, density: float, lo: float, hi: float, length: float) -> None:
    """Spread events over the bins between two places within a window."""
    first, last = _bin_of(lo, length), _bin_of(hi, length)
    if first == last:
        bins[PARTIAL, first] += density * (hi - lo)
        return
    bins[PARTIAL, first] += density * (edge(first + 1, length) - lo)
    bins[PARTIAL, last] += density * (hi - edge(last, length))
    bins[FULL, first + 1] += density
    bins[FULL, last] -= density


@kernel
def edge(i: int, length: float) -> float:
    """Where a bin begins in its window; widths grow as the fourth power: most waits are short."""
    square = (i / BINS) * (i / BINS)
    return length * (square * square)


@kernel
def _bin_of(place: float, length: float) -> int:
    return min(int(math.sqrt(math.sqrt(place / length)) * BINS), BINS - 1)
