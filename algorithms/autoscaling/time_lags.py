"""Time lags: how long ago the oldest unread event of each partition was written.

They are interpolated from end offsets over time and unread events, as exporters of offsets do: both
are what is observed of a simulated group, of a live one, and by the scaler. The same of a whole
run, for plots, is `pipeline.experiments.autoscaling.simulation.time_lag`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

POINTS = 512
"""Points that are kept. When all are used, points are dropped whose neighbours are closer to each
other than `_SHARE` of their age: ages of the last 50 observations stay exact, and the greatest age
has no limit."""

_SHARE, _WIDER = 0.02, 1.5
"""Share, and by what it grows until a quarter of the points is dropped."""

# Fewer unread events are none: rates and lags are rounded to 6 decimals, and errors add up.
_LEAST = 1e-3
_COUNT, _NOW = 0, 0


class Arrivals(NamedTuple):
    """End offsets of P partitions over time."""

    times: Floats
    """float64[K]: times of the points, seconds, ascending."""
    written: Floats
    """float64[P, K]: events that each partition got between the first point and each other one."""
    ends: Floats
    """float64[P]: the same now."""
    clock: Floats
    """float64[1]: now, seconds."""
    marks: Longs
    """int64[1]: number of points, 0 before the first observation."""
    period_s: float
    """Time for which the first rates held, seconds."""


def create(partitions: int, period_s: float) -> Arrivals:
    """The state before the first observation."""
    return Arrivals(
        times=np.zeros(POINTS),
        written=np.zeros((partitions, POINTS)),
        ends=np.zeros(partitions),
        clock=np.zeros(1),
        marks=np.zeros(1, np.int64),
        period_s=period_s,
    )


@kernel
def arrive(arrivals: Arrivals, time: float, rates: Floats, arrived: Floats) -> None:
    """Events arrive from the observation before until a time. O(P).

    rates: Mean rates of a period, which are those of all the time only if none was left out.
    arrived: float64[P]: events that have arrived so far, whatever was left out, as in a cooldown;
        float64[0] if that is not known: then the rates hold. What has arrived never grows less.
    """
    is_known = arrived.shape[0] == rates.shape[0]
    if arrivals.marks[_COUNT] == 0:
        arrivals.clock[_NOW] = time - arrivals.period_s
        if is_known:
            for p in range(rates.shape[0]):
                arrivals.ends[p] = arrived[p] - rates[p] * arrivals.period_s
        _add(arrivals)
    passed_s = time - arrivals.clock[_NOW]
    for p in range(rates.shape[0]):
        if is_known:
            arrivals.ends[p] = max(arrivals.ends[p], arrived[p])
        else:
            arrivals.ends[p] += rates[p] * passed_s
    arrivals.clock[_NOW] = time


@kernel
def note(arrivals: Arrivals) -> None:
    """Keep the end offsets of now as a point: between points, events arrive evenly."""
    if arrivals.marks[_COUNT] == arrivals.times.shape[0]:
        _thin(arrivals)
    _add(arrivals)


@kernel
def greatest(arrivals: Arrivals, lags: Floats) -> float:
    """The time lag of the group: the greatest of its partitions, seconds. O(P log `POINTS`).

    lags: Unread events of each partition.
    """
    result = 0.0
    for p in range(lags.shape[0]):
        result = max(result, of_partition(arrivals, p, lags[p]))
    return result


@kernel
def of_partition(arrivals: Arrivals, p: int, lag: float) -> float:
    """Age of the oldest of `lag` unread events, seconds; 0 without any.

    Times without events do not count. An event from before the first point is as old as at the mean
    rate since then, or as the first point where nothing has arrived since.
    """
    if lag <= _LEAST:
        return 0.0
    times, written = arrivals.times, arrivals.written[p]
    now, end, points = arrivals.clock[_NOW], arrivals.ends[p], arrivals.marks[_COUNT]
    read = end - lag
    low, high = 0, points  # The first point at which more than `read` was written.
    while low < high:
        middle = (low + high) // 2
        if written[middle] <= read + _LEAST:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        since_s, arrived = now - times[0], end - written[0]
        return float(lag * since_s / arrived if arrived > _LEAST else since_s)
    to_s, to = (times[low], written[low]) if low < points else (now, end)
    from_s, begun = times[low - 1], written[low - 1]
    return float(now - from_s - max(read - begun, 0.0) / (to - begun) * (to_s - from_s))


@kernel
def _add(arrivals: Arrivals) -> None:
    place = arrivals.marks[_COUNT]
    arrivals.times[place] = arrivals.clock[_NOW]
    for p in range(arrivals.ends.shape[0]):
        arrivals.written[p, place] = arrivals.ends[p]
    arrivals.marks[_COUNT] = place + 1


@kernel
def _thin(arrivals: Arrivals) -> None:
    share = _SHARE
    while _kept(arrivals, share, False) > 3 * arrivals.times.shape[0] // 4:
        share *= _WIDER
    arrivals.marks[_COUNT] = _kept(arrivals, share, True)


@kernel
def _kept(arrivals: Arrivals, share: float, drops: bool) -> int:
    """Number of points that are kept, the first and the last among them; perhaps drop others."""
    times, now, kept, last_s = arrivals.times, arrivals.clock[_NOW], 0, 0.0
    for k in range(times.shape[0]):
        if 0 < k < times.shape[0] - 1 and times[k + 1] - last_s <= share * (now - times[k + 1]):
            continue
        last_s = times[k]
        if drops:
            times[kept] = last_s
            for p in range(arrivals.ends.shape[0]):
                arrivals.written[p, kept] = arrivals.written[p, k]
        kept += 1
    return kept
