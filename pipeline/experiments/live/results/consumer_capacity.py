"""What a consumer processes at most, from its full batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from pipeline.reporting.sections import numbers
from schemas.tables.live.live_runs import SPEED_BINS

ALONE = "kd_1"
"""The strategy with one consumer."""

LEAST_BATCHES = 10
"""Fewer have no mode worth the name."""

_SMOOTHING = np.array([1.0, 2.0, 3.0, 2.0, 1.0])


class Capacity(NamedTuple):
    """Speeds of a lone consumer's full batches."""

    batches: int
    """Number of batches."""
    mode: float
    median: float
    """`mode`, `median`: as shares of C̄; NaN without batches."""
    density: Floats
    """Share of the batches by bin of 1 % of C̄, ``float64[SPEED_BINS]``."""
    rate: float
    """C̄, bytes/s."""

    @property
    def is_small(self) -> bool:
        """Whether there are too few batches to compare."""
        return self.batches < LEAST_BATCHES

    @property
    def words(self) -> str:
        """Mode and median."""
        if not self.batches:
            return numbers.MISSING
        mode, median = (_rate_text(share * self.rate) for share in (self.mode, self.median))
        share = numbers.percent(self.mode)
        return f"{share} of C̄ (mode {mode}, median {median}, {self.batches:,} batches)"


def capacity(runs: pd.DataFrame, rate: float) -> Capacity | None:
    """Of an experiment's lone consumer; None if it has none with batches.

    runs: Its rows of `live_runs`.
    rate: C̄, bytes/s.
    """
    alone = runs[runs["strategy"] == ALONE]
    histograms = [np.asarray(row, np.float64) for row in alone["batch_histogram"].dropna()]
    return of_counts(np.sum(histograms, axis=0), rate) if histograms else None


def of_counts(counts: Floats, rate: float) -> Capacity:
    """Capacity at C̄, bytes/s, from ``float64[SPEED_BINS]`` batches in steps of 1 % of it."""
    batches = int(counts.sum())
    if not batches:
        return Capacity(0, np.nan, np.nan, counts, rate)
    shares = (np.arange(SPEED_BINS) + 0.5) / 100
    smoothed = np.convolve(counts, _SMOOTHING, mode="same")
    mode = float(shares[int(smoothed.argmax())])
    median = float(shares[int(np.searchsorted(counts.cumsum(), batches / 2))])
    return Capacity(batches, mode, median, counts / batches, rate)


def _rate_text(rate: float) -> str:
    """A speed in MB/s or kB/s."""
    if rate >= 1e6:
        return f"{numbers.fixed(rate / 1e6, 2)}{numbers.SPACE}MB/s"
    return f"{numbers.fixed(rate / 1e3, 1)}{numbers.SPACE}kB/s"
