"""Hypervolumes of the contest, and how sure their differences are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from algorithms.core.arrays import Floats, Longs
from algorithms.inference.front_quality import hypervolume

PRICES = np.geomspace(0.01, 10.0, 12)
"""Prices at which parameters are picked on training: of the whole range of the SLA axis, in parts
of all replica-minutes."""

RESAMPLES, SEED = 2000, 5


def weights_of(sources: Sequence[str]) -> Floats:
    """Weight of each workload: every source counts the same."""
    counts = np.array([sources.count(source) for source in sources], dtype=float)
    return 1.0 / counts / len(set(sources))


def area(points: Floats, weights: Floats) -> float:
    """Hypervolume of the weighted mean over workloads of points float64[n, k, ≥ 2]."""
    means = np.tensordot(weights / weights.sum(), points[..., :2], axes=1)
    return float(hypervolume(means, (1.0, 1.0)))


def cheapest(points: Floats, weights: Floats, late: float) -> Floats | None:
    """Weighted mean of the candidate with the fewest replica-minutes; None if all are too late.

    points: Replica-minutes, lateness and anything else, float64[n, k, ≥ 2].
    late: Greatest mean lateness.
    """
    means = np.tensordot(weights / weights.sum(), points, axes=1)
    good = means[means[:, 1] <= late]
    return good[np.argmin(good[:, 0])] if len(good) else None


def picked(points: Floats, weights: Floats) -> Longs:
    """Candidates that are best on training at one of `PRICES`."""
    means = np.tensordot(weights / weights.sum(), points, axes=1)
    return np.unique([np.argmin(means[:, 0] + price * means[:, 1]) for price in PRICES])


class Difference(NamedTuple):
    """How much larger one hypervolume is than another."""

    gain: float
    """Their difference."""
    low: float
    high: float
    """`low`, `high`: its 95 % interval by resampling sources."""
    low_t: float
    high_t: float
    """`low_t`, `high_t`: its 95 % interval by the jackknife over sources, which is wider where
    sources are few."""


def difference(one: Floats, other: Floats, weights: Floats, sources: Sequence[str]) -> Difference:
    """Hypervolume of one less that of another, with 95 % intervals.

    Both are resampled from the same sources: several draws of one recording or profile depend on
    each other, so a source is drawn with all its workloads.

    Percentile bootstrap of clusters, `RESAMPLES` draws: with seven sources, an interval at 95 %
    holds the true value in less than 95 % of cases. So there is the delete-one jackknife as well
    (Efron and Stein 1981) with the quantile of Student's t of one degree of freedom less than
    sources.
    """
    names = list(dict.fromkeys(sources))
    of = np.array([names.index(source) for source in sources])
    n = len(names)

    def gain(times: Longs) -> float:
        return area(one, weights * times[of]) - area(other, weights * times[of])

    drawn = np.random.default_rng(SEED).multinomial(n, np.full(n, 1.0 / n), size=RESAMPLES)
    low, high = np.quantile([gain(times) for times in drawn], (0.025, 0.975)).tolist()
    whole = gain(np.ones(n, np.int64))
    if n < 2:
        return Difference(whole, math.nan, math.nan, math.nan, math.nan)
    without = np.array([gain(1 - np.eye(n, dtype=np.int64)[i]) for i in range(n)])
    scatter = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    reach = scatter * float(stdtrit(n - 1, 0.975))
    return Difference(whole, low, high, whole - reach, whole + reach)
