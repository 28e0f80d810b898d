"""Samples of counters or rates, as metric systems record them, brought to rates at common times.

A counter, such as the end offset of a partition, becomes a rate as in Prometheus' ``rate()``: where
it falls it was reset to 0 in between, so all of the new value is new. The rate between two samples
is constant and holds from the first one. A missing sample is bridged for `LOOKBACK_S`, or for
`HOLD` usual steps if these are longer: as Prometheus' lookback. What happens in a longer gap is
unknown, and its rates are missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces.model import Floats, check_size
from pipeline.inputs.traces.resample import HOLD, JITTER

LOOKBACK_S = 300.0
"""Prometheus' default lookback: how long a sample stands for a metric, s."""

_RAGGED = 1.5
"""Distinct times per sample of the longest series, above which series have times of their own."""

_KNOWN = 0.5
"""Least share of a step in which the rate must be known."""


class Series(NamedTuple):
    """Samples of one partition."""

    name: str
    """Name of the partition."""
    times: Floats
    """``float64[n]``, s, ascending and distinct."""
    values: Floats
    """``float64[n]``, finite and at least 0: values of a counter, or rates per second."""


class Reset(NamedTuple):
    """A fall of a counter: name of the partition, and time of the first sample after it, s."""

    name: str
    time: float


class Rates(NamedTuple):
    """Rates of all partitions at common times."""

    times: Floats
    """``float64[N]``, s, ascending."""
    rates: Floats
    """``float64[N, S]`` of S series, per second: each holds until the next time; NaN where unknown.
    """
    resets: tuple[Reset, ...]
    """Falls of counters, by partition."""
    still: float
    """Share of the times at which no partition's rate is above 0."""
    is_aligned: bool
    """Whether series with times of their own were averaged over steps of equal length."""


class _Known(NamedTuple):
    """Stretches of time in which a partition's rate is known, in order; ``float64[m]`` each."""

    starts: Floats
    ends: Floats
    slopes: Floats


def usual_step(series: Sequence[Series]) -> float | None:
    """The median time between samples of a series, s; None if each has one sample."""
    steps = np.sort(np.concatenate([np.diff(one.times) for one in series]))
    return float(steps[(len(steps) - 1) // 2]) if len(steps) else None


def longest_gap(step: float) -> float:
    """How long a gap between samples can be that is bridged, s, by the usual step, s."""
    return max(LOOKBACK_S, HOLD * step) * (1.0 + JITTER)


def rates_of(
    path: Path,
    series: Sequence[Series],
    are_counters: bool,
    measured: Sequence[Series] | None = None,
) -> Rates:
    """Bring series to rates at common times.

    Series with the same times keep them. Series with times of their own, such as those of several
    brokers, are averaged over steps of the usual length.

    series: At least one, each with at least one sample.
    are_counters: Whether the values are those of counters.
    measured: The series as measured, if those in ``series`` were joined from them: their times tell
        the usual step.
    Raises InputError if there are too many times or partitions.
    """
    measured = series if measured is None else measured
    step = usual_step(measured) or 1.0
    most = longest_gap(step)
    begin = min(float(one.times[0]) for one in series)
    parts = [_known(one, begin, are_counters, most, step) for one in series]
    union = np.unique(np.concatenate([one.times for one in series])) - begin
    longest = max(len(one.times) for one in measured)
    # Replicas of a partition that are measured at other times leave uneven steps.
    is_aligned = len(union) > longest * (_RAGGED if measured is series else 1.0)
    end = max((float(part.ends[-1]) for part in parts if len(part.ends)), default=0.0)
    if is_aligned:
        check_size(path, math.ceil(end / step), len(series))
        edges = np.arange(0.0, end, step)
    else:
        missing = _missing(union, step, most)
        check_size(path, len(union) + int(missing.sum()), len(series))
        edges = _filled(union, missing, step)
    rates = np.empty((len(edges), len(series)))
    for column, part in enumerate(parts):
        rates[:, column] = _averaged(part, edges, step) if is_aligned else _at(part, edges)
    present = ~np.isnan(rates).all(axis=1)
    rates = rates[present]
    resets = tuple(reset for one in series for reset in _resets(one)) if are_counters else ()
    still = float((np.nansum(rates, axis=1) == 0.0).mean()) if len(rates) else 0.0
    return Rates(edges[present] + begin, rates, resets, still, is_aligned)


def _known(one: Series, begin: float, is_counter: bool, most: float, step: float) -> _Known:
    """Stretches between samples. A rate also holds for a step after the last one."""
    times = one.times - begin
    lengths = np.diff(times)
    bridged = lengths <= most
    if is_counter:
        slopes = _increases(one.values) / lengths
        return _Known(times[:-1][bridged], times[1:][bridged], slopes[bridged])
    ends = np.append(np.where(bridged, times[1:], times[:-1] + step), times[-1] + step)
    return _Known(times, ends, one.values)


def _increases(values: Floats) -> Floats:
    """Increase from each sample of a counter to the next; after a fall it started at 0."""
    increases = np.diff(values)
    return np.where(increases < 0.0, values[1:], increases)


def _resets(one: Series) -> list[Reset]:
    falls = np.flatnonzero(np.diff(one.values) < 0.0)
    return [Reset(one.name, float(one.times[place + 1])) for place in falls]


def _missing(union: Floats, step: float, most: float) -> NDArray[np.int64]:
    """Number of steps that are missing after each time but the last, where that is bridged."""
    gaps = np.diff(union)
    is_bridged = (gaps > 1.5 * step) & (gaps <= most)
    return np.where(is_bridged, np.rint(gaps / step) - 1.0, 0.0).astype(np.int64)


def _filled(union: Floats, missing: NDArray[np.int64], step: float) -> Floats:
    """Times with more of them at every missing step."""
    more = [
        union[place] + step * np.arange(1, missing[place] + 1) for place in np.flatnonzero(missing)
    ]
    return np.sort(np.concatenate([union, *more]))


def _at(part: _Known, edges: Floats) -> Floats:
    """The rate that holds at each time, NaN where none does."""
    if not len(part.starts):
        return np.full(len(edges), np.nan)
    place = np.searchsorted(part.starts, edges, side="right") - 1
    holds = (place >= 0) & (edges < part.ends[place])
    return np.where(holds, part.slopes[place], np.nan)


def _averaged(part: _Known, edges: Floats, step: float) -> Floats:
    """The mean of the known rates in each step, NaN if less than half of it is known."""
    if not len(part.starts):
        return np.full(len(edges), np.nan)
    knots = np.stack([part.starts, part.ends], axis=1).ravel()
    lengths = part.ends - part.starts
    time = _running(lengths)
    amount = _running(lengths * part.slopes)
    bounds = np.append(edges, edges[-1] + step)
    passed = np.diff(np.interp(bounds, knots, time))
    grown = np.diff(np.interp(bounds, knots, amount))
    enough = passed >= _KNOWN * step
    # Differences of sums can be a little below 0 where nothing grew.
    means = np.maximum(grown, 0.0) / np.where(enough, passed, 1.0)
    return np.where(enough, means, np.nan)


def _running(pieces: Floats) -> Floats:
    """Sum of all pieces before each one and up to its end, as pairs in a row."""
    ends = np.cumsum(pieces)
    return np.stack([ends - pieces, ends], axis=1).ravel()
