"""Hypervolumes of the contest, and how sure their differences are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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

    Parameters
    ----------
    points
        Replica-minutes, lateness and anything else, float64[n, k, ≥ 2].
    late
        Greatest mean lateness.
    """
    means = np.tensordot(weights / weights.sum(), points, axes=1)
    good = means[means[:, 1] <= late]
    return good[np.argmin(good[:, 0])] if len(good) else None


def picked(points: Floats, weights: Floats) -> Longs:
    """Candidates that are best on training at one of `PRICES`."""
    means = np.tensordot(weights / weights.sum(), points, axes=1)
    return np.unique([np.argmin(means[:, 0] + price * means[:, 1]) for price in PRICES])


def difference(one: Floats, other: Floats, weights: Floats) -> tuple[float, float, float]:
    """Hypervolume of one less that of another, with a 95 % interval.

    Both are resampled from the same workloads (paired percentile bootstrap, `RESAMPLES` draws).
    """
    rng = np.random.default_rng(SEED)
    n = len(weights)
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=RESAMPLES)
    gains = [area(one, weights * times) - area(other, weights * times) for times in drawn]
    low, high = np.quantile(gains, (0.025, 0.975))
    return area(one, weights) - area(other, weights), float(low), float(high)
