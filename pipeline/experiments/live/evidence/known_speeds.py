"""How soon the monitor knows the speeds of an iteration: Δt1."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from pipeline.experiments.live.evidence.run_folder import RunFolder

TOLERANCE = 0.05
"""Share of a rate by which a measured speed may differ from it."""


def known_after(folder: RunFolder) -> dict[int, float]:
    """Times until changed rates are known, s, by iteration from 0.

    From the beginning of an iteration until the first measurement in which all partitions whose
    rate has changed are within `TOLERANCE` of the new one. The first iteration has none, and
    neither has one whose rates change again, or whose run ends, before they are known.
    """
    times, speeds = _measured(folder)
    rates, span_ns = folder.rates, round(folder.settings.iteration_s * 1e9)
    delays = {}
    for iteration in range(1, len(rates)):
        changed = rates[iteration] != rates[iteration - 1]
        begin = folder.settings.began_ns + iteration * span_ns
        end = folder.settings.began_ns + _until(rates, changed, iteration) * span_ns
        first, last = np.searchsorted(times, (begin, end))
        actual = rates[iteration, changed]
        errors = np.abs(speeds[first:last, changed] - actual)
        is_known = (errors <= TOLERANCE * actual).all(axis=1)
        if changed.any() and is_known.any():
            delays[iteration] = float(times[first + is_known.argmax()] - begin) / 1e9
    return delays


def _until(rates: Floats, changed: Bools, iteration: int) -> int:
    """Iteration in which one of these partitions changes next; the number of all if none does."""
    later = rates[iteration + 1 :, changed] != rates[iteration, changed]
    again = np.flatnonzero(later.any(axis=1))
    return iteration + 1 + int(again[0]) if len(again) else len(rates)


def _measured(folder: RunFolder) -> tuple[Longs, Floats]:
    """Times, ns, and speeds, bytes/s, of all measurements; NaN without a speed, ``[M, P]``."""
    entries = sorted(folder.measurements, key=lambda entry: int(entry["at_ns"]))
    speeds = np.full((len(entries), folder.settings.partitions), np.nan)
    for row, entry in zip(speeds, entries, strict=True):
        row[[int(partition) for partition in entry["speeds"]]] = [*entry["speeds"].values()]
    return np.array([entry["at_ns"] for entry in entries], np.int64), speeds
