"""Parts of a survey, each from the arrays of a trace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.inputs.traces import Times, median_step
from pipeline.inputs.traces.model import Floats
from pipeline.inputs.traces.resample import JITTER, silences
from pipeline.inputs.traces.survey.survey_model import Beyond, Cells, Gap, Range, Timing, Volatility


def timing(times: Times | None) -> Timing:
    """When measurements were made, and how regularly."""
    if times is None:
        return Timing(None, None, None)
    step = median_step(times)
    if step is None:
        return Timing(times.column, times.first, times.last)
    steps = np.diff(times.at)
    return Timing(
        times.column,
        times.first,
        times.last,
        float(times.at[-1]),
        step,
        float(steps.min()),
        float(steps.max()),
        int((np.abs(steps - step) > JITTER * step).sum()),
    )


def gaps(times: Times | None, seconds: float | None) -> tuple[Gap, ...]:
    """Silences between timestamps, or numbers of iterations that are missing."""
    if times is None or len(times.at) < 2:
        return ()
    steps = np.diff(times.at)
    if times.in_seconds:
        unit = seconds or 1.0
        silent = np.flatnonzero(silences(times.at, unit))
    else:
        unit = 1.0
        silent = np.flatnonzero(steps > 1.0)
    return tuple(Gap(int(i) + 1, max(1, round(float(steps[i]) / unit) - 1)) for i in silent)


def cells(rates: Floats) -> Cells:
    """Missing rates."""
    here = ~np.isnan(rates)
    missing = int((~here).sum())
    # Between the first and the last rate of a partition: present on both sides.
    before = np.logical_or.accumulate(here, axis=0)
    after = np.logical_or.accumulate(here[::-1], axis=0)[::-1]
    lives = before & after
    return Cells(
        missing=missing,
        missing_share=missing / rates.size,
        arrivals=int((here[1:] & ~here[:-1]).sum()),
        departures=int((here[:-1] & ~here[1:]).sum()),
        within_lives=float((lives & ~here).sum() / max(1, lives.sum())),
        empty_measurements=int((~here.any(axis=1)).sum()),
    )


def ranges(names: Sequence[str], rates: Floats) -> tuple[Range, ...]:
    """Rates of each partition that exists at any time."""
    exists = np.flatnonzero(~np.isnan(rates).all(axis=0))
    there = rates[:, exists]
    columns = (np.nanmin(there, axis=0), np.nanmedian(there, axis=0), np.nanmax(there, axis=0))
    numbers = np.stack(columns, axis=1).tolist()
    return tuple(Range(names[j], *row) for j, row in zip(exists.tolist(), numbers, strict=True))


def total(rates: Floats) -> Range:
    """Rates of all partitions together."""
    sums = np.nansum(rates, axis=1)
    return Range("total", float(sums.min()), float(np.median(sums)), float(sums.max()))


def beyond(names: Sequence[str], rates: Floats, capacity: float) -> tuple[Beyond, ...]:
    """Partitions whose rate is above the capacity, the most frequent ones first."""
    over = rates > capacity
    counts = over.sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    return tuple(
        Beyond(
            names[int(j)],
            int(counts[j]),
            float(counts[j] / len(rates)),
            float(np.nanmax(rates[:, j]) / capacity),
        )
        for j in order[: int((counts > 0).sum())]
    )


def volatility(rates: Floats, capacity: float) -> Volatility | None:
    """Changes of rates from one iteration to the next; None if no partition has two in a row.

    The change of a generated stream is uniform in [-δ, δ], so its mean absolute value is δ / 2.
    """
    changes = np.abs(np.diff(rates, axis=0)) * (100.0 / capacity)
    changes = changes[~np.isnan(changes)]
    if not len(changes):
        return None
    p50, p90, p99 = (float(value) for value in np.percentile(changes, (50, 90, 99)))
    return Volatility(p50, p90, p99, 2.0 * float(changes.mean()))
