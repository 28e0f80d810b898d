"""Resamples measurements at any times to iterations of one length.

A measurement holds from its time until the next one. Iterations begin with the first measurement
and have equal length. The rate of a partition in an iteration is the mean of its rates there,
weighted by time; a partition that does not exist counts as 0. It is absent only from iterations
throughout which it does not exist. So the sum of rate × time is preserved.

A time that differs from the start of an iteration by at most `JITTER` of the usual step (of an
iteration, if that is shorter) is moved to it. A measurement holds for at most `HOLD` iterations, or
as many usual steps if these are longer: after a longer silence the rates are unknown, so the
iterations in between are missing, neither interpolated nor empty, and iterations restart with the
next measurement. The last measurement before a silence or the end holds until its iteration ends.
A trace with regular times keeps its rates, bit for bit, as does one without times.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces.model import Floats, Times, Trace, check_size

JITTER = 0.01
"""Share of the usual step (or a shorter iteration) by which a time may differ from a start.

With more, several measurements could be moved to one start, and only the last would count.
"""

HOLD = 3.0
"""Maximum iterations, or usual steps, for which a measurement holds."""

_CELLS_AT_ONCE = 4_000_000
_MOST = 1e12


class Grid(NamedTuple):
    """Positions of measurements among iterations of one length."""

    place: Floats
    """``float64[N]``, time of each measurement in iterations since the start of its section:
    sections are what long silences cut the trace into."""
    section: NDArray[np.int64]
    """``int64[N]``, section of each measurement, from 0."""
    begins: NDArray[np.int64]
    """``int64[S]``, number of the first iteration of each section, from 0."""
    n_iterations: int
    """Iterations in all."""

    @property
    def regular(self) -> bool:
        """Whether each measurement is exactly one iteration."""
        if self.n_iterations != len(self.place):
            return False
        where = self.place + self.begins[self.section]
        return bool((where == np.arange(self.n_iterations)).all())


def median_step(times: Times | None) -> float | None:
    """The usual step, s, None if unknown: one that occurs, of two in the middle the lower."""
    return _median_step(times.at) if times is not None and times.in_seconds else None


def _median_step(at: Floats) -> float | None:
    if len(at) < 2:
        return None
    steps = np.sort(np.diff(at))
    # Twelve digits, since differences of decimal fractions are off in the sixteenth.
    median = float(f"{steps[(len(steps) - 1) // 2]:.12g}")
    return median if median > 0 else None


def silences(at: Floats, seconds: float) -> NDArray[np.bool_]:
    """``bool[N - 1]``: after which measurements a silence follows that is too long to bridge."""
    longer = max(seconds, _median_step(at) or 0.0)
    silent: NDArray[np.bool_] = np.diff(at) > (HOLD + JITTER) * longer
    return silent


def grid(at: Floats, seconds: float) -> Grid:
    """Lay iterations over the times of measurements, s, ascending."""
    silent = silences(at, seconds)
    section = np.concatenate(([0], np.cumsum(silent)))
    starts = np.concatenate(([0], np.flatnonzero(silent) + 1))
    place = (at - at[starts][section]) / seconds
    whole = np.rint(place)
    tolerance = JITTER * min(1.0, (_median_step(at) or seconds) / seconds)
    place = np.where(np.abs(place - whole) <= tolerance, whole, place)
    ends = np.concatenate((starts[1:] - 1, [len(at) - 1]))
    # More iterations than this are refused.
    lengths = np.minimum(np.floor(place[ends]), _MOST).astype(np.int64) + 1
    begins = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return Grid(place, section, begins, int(lengths.sum()))


def resampled(trace: Trace, path: Path, seconds: float | None) -> Trace:
    """A trace in iterations of one length.

    seconds: Length of an iteration; None leaves the trace as it is, as does a trace without times.
    Raises InputError if there are more iterations than a task can hold.
    """
    if seconds is None or trace.times is None or not trace.times.in_seconds:
        return trace
    raster = grid(trace.times.at, seconds)
    if raster.regular:
        return trace
    check_size(path, raster.n_iterations, len(trace.partitions), f"iterations of {seconds:g} s")
    return trace.with_rates(_means(trace.rates, raster))


class _Pieces(NamedTuple):
    """Time in which a measurement holds within an iteration, whose first pieces are ``begins``."""

    measurement: NDArray[np.int64]
    length: Floats
    begins: NDArray[np.int64]


def _pieces(raster: Grid) -> _Pieces:
    """Cut time where a measurement or an iteration begins."""
    where = raster.place + raster.begins[raster.section]
    marks = np.unique(np.concatenate((where, np.arange(raster.n_iterations, dtype=np.float64))))
    # Of several measurements at one time the last one holds.
    measurement = np.searchsorted(where, marks, side="right") - 1
    length = np.diff(np.append(marks, float(raster.n_iterations)))
    begins = np.searchsorted(marks, np.arange(raster.n_iterations, dtype=np.float64))
    return _Pieces(measurement, length, begins)


def _means(rates: Floats, raster: Grid) -> Floats:
    """Means over iterations, for a few partitions at a time to limit memory."""
    pieces = _pieces(raster)
    means = np.empty((raster.n_iterations, rates.shape[1]))
    step = max(1, _CELLS_AT_ONCE // len(pieces.length))
    for first in range(0, rates.shape[1], step):
        columns = slice(first, first + step)
        means[:, columns] = _of_columns(rates[:, columns], pieces)
    return means


def _of_columns(rates: Floats, pieces: _Pieces) -> Floats:
    held = rates[pieces.measurement]
    absent = np.isnan(held)
    data = np.where(absent, 0.0, held) * pieces.length[:, np.newaxis]
    means = np.add.reduceat(data, pieces.begins, axis=0)
    gone = np.logical_and.reduceat(absent, pieces.begins, axis=0)
    return np.where(gone, np.nan, means)
