"""What a consumer processes at most, from its full batches, compared with published figures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.experiments.live.results.live_study import Study
from schemas.tables.live.live_runs import SPEED_BINS
from schemas.verdicts import NOT_REPRODUCED, REPRODUCED

ALONE = "kd_1"
"""The strategy with one consumer."""

TOLERANCE = 0.05
"""The mode must be so close to C̄, as a share of it."""

LEAST_BATCHES = 10
"""Fewer have no mode worth the name."""

PUBLISHED_RATE, PUBLISHED_MODE = 2.4e6, 2.3e6
"""The authors' C̄, and the mode of Figure 13 as printed, bytes/s."""

PUBLISHED_MODES = (2.44e6, 2.40e6, 2.42e6)
"""Modes of the batches that the authors released, of three tests, bytes/s."""

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
    verdict: str
    """One of `schemas.verdicts`; empty if there are too few batches."""


def capacity(study: Study) -> Capacity | None:
    """Of the experiment's lone consumer; None if it has none with batches."""
    alone = study.runs[study.runs["strategy"] == ALONE]
    histograms = [np.asarray(row, np.float64) for row in alone["batch_histogram"].dropna()]
    if not histograms:
        return None
    counts = np.sum(histograms, axis=0)
    return of_counts(counts, float(study.setting["consumer_rate"]))


def of_counts(counts: Floats, rate: float) -> Capacity:
    """Capacity at C̄, bytes/s, from ``float64[SPEED_BINS]`` batches in steps of 1 % of it."""
    batches = int(counts.sum())
    if not batches:
        return Capacity(0, np.nan, np.nan, counts, rate, "")
    shares = (np.arange(SPEED_BINS) + 0.5) / 100
    smoothed = np.convolve(counts, _SMOOTHING, mode="same")
    mode = float(shares[int(smoothed.argmax())])
    median = float(shares[int(np.searchsorted(counts.cumsum(), batches / 2))])
    verdict = REPRODUCED if abs(mode - 1) <= TOLERANCE else NOT_REPRODUCED
    known = verdict if batches >= LEAST_BATCHES else ""
    return Capacity(batches, mode, median, counts / batches, rate, known)
