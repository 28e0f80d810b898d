"""Comparisons of algorithms on the same streams, all pairs of them at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import Floats, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.intervals import BATCH, RESAMPLES, Interval
from algorithms.inference.signed_rank import signed_rank

Columns = NDArray[np.intp]

AT_ONCE = 100
"""Pairs whose resamples are held at the same time: 8 MB."""


class Pairs(NamedTuple):
    """All pairs of algorithms; arrays with one element per pair."""

    first: Columns
    second: Columns
    """`first`, `second`: intp[m]: columns of the two algorithms, ``first < second``."""
    difference: Floats
    """float64[m]: mean over replicates of the first one's value less the second one's."""
    low: Floats
    high: Floats
    """`low`, `high`: float64[m]: 95 % interval of the difference; NaN for fewer than 2
    replicates."""
    statistic: Floats
    p: Floats
    """`statistic`, `p`: float64[m]: of Wilcoxon's signed-rank test; NaN for fewer than 2
    replicates, and where the two are equal on every replicate."""
    p_holm: Floats
    """float64[m]: the same, adjusted to all pairs that were tested."""


def compare(values: Floats, means: Floats, level: float = 0.95) -> Pairs:
    """Compare every two algorithms on the replicates that both were run on.

    values: float64[n, k], one row per replicate, one column per algorithm, any unit, finite.
    means: float64[r, k], means of resamples of these values; see `resampled_means`.
    level: Confidence of the intervals.
    Returns: the ``k (k - 1) / 2`` pairs, by first and second column.

    Resamples take the same replicates for every algorithm, so that the differences are paired.
    O(r k² + k² n³).

    >>> values = np.array([[1.0, 3.0], [2.0, 3.0], [1.5, 3.5], [1.0, 2.5]])
    >>> found = compare(values, resampled_means(values, seed=0))
    >>> found.difference.tolist(), found.p.tolist(), bool(found.high[0] < 0)
    ([-1.625], [0.125], True)
    """
    values = check_replicates(values)
    n, k = values.shape
    if means.ndim != 2 or means.shape[1] != k:
        raise InvalidParameterError(f"means must have shape (resamples, {k}) (got {means.shape})")
    first, second = np.triu_indices(k, 1)
    average = values.mean(axis=0)
    difference = average[first] - average[second]
    if n < 2:
        return Pairs(first, second, difference, *(np.full(first.size, math.nan),) * 5)
    low, high = _bounds(means, first, second, level)
    tests = [signed_rank(values[:, a] - values[:, b]) for a, b in zip(first, second, strict=True)]
    p = np.array([test.p for test in tests])
    return Pairs(
        first,
        second,
        difference,
        np.minimum(low, difference),
        np.maximum(high, difference),
        np.array([test.statistic for test in tests]),
        p,
        holm(p),
    )


def paired_interval(means: Floats, difference: float, level: float = 0.95) -> Interval:
    """Interval of a difference from resampled differences.

    means: float64[r], resampled differences; see `resampled_means`. NaN for too few replicates.
    level: Confidence, between 0 and 1.
    Returns: an interval that contains the difference.
    """
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, (tail, 1.0 - tail)).tolist()
    # NaN stays NaN: min() of it would depend on the order of arguments.
    if math.isnan(low):
        return Interval(difference, math.nan, math.nan)
    return Interval(difference, min(low, difference), max(high, difference))


def resampled_means(values: Floats, seed: int) -> Floats:
    """Means of bootstrap resamples that take the same replicates for every column.

    values: float64[n, k], one row per replicate.
    Returns: float64[r, k], a row per resample; NaN for fewer than 2 replicates.

    Efron 1979: 9999 resamples of n rows with replacement. O(9999 n k).
    """
    values, seed = check_replicates(values), check_seed(seed)
    n, k = values.shape
    if n < 2:
        return np.full((1, k), math.nan)
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.empty((RESAMPLES, k))
    rows = max(1, BATCH // (n * k))
    for start in range(0, RESAMPLES, rows):
        stop = min(start + rows, RESAMPLES)
        drawn = generator.integers(0, n, size=(stop - start, n))
        means[start:stop] = values[drawn].mean(axis=1)
    return means


def holm(p: Sequence[float] | Floats) -> Floats:
    """Adjust the probabilities of a family of tests to their number.

    p: float64[m], probabilities, 0 to 1; NaN for tests that were not made, which do not count.
    Returns: float64[m], adjusted probabilities, at least the given ones; NaN stays.

    Holm 1979: the i-th smallest of m is multiplied by ``m - i + 1``, and none falls below that of a
    smaller one. The probability of any false discovery is at most the chosen level, however the
    tests depend on each other. O(m log m).

    >>> holm([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    array = np.asarray(p, dtype=np.float64)
    if array.ndim != 1 or ((array < 0.0) | (array > 1.0)).any():
        raise InvalidParameterError(
            "p must be one-dimensional with values between 0 and 1, or NaN for what was not tested "
            f"(got shape {array.shape})"
        )
    tested = np.flatnonzero(~np.isnan(array))
    order = tested[np.argsort(array[tested], kind="stable")]
    scaled = array[order] * np.arange(order.size, 0, -1)
    adjusted = np.full(array.shape, math.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0) if order.size else scaled
    return adjusted


def check_replicates(values: Floats) -> Floats:
    """Check a matrix with one row per replicate.

    values: float64[n, k], at least one row and one column, finite.
    Returns: float64[n, k], the same values, C-contiguous.
    """
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 or not array.size:
        raise InvalidParameterError(
            "values must have shape (replicates, algorithms), at least 1 of each "
            f"(got {array.shape})"
        )
    if not np.isfinite(array).all():
        i, j = (int(place) for place in np.argwhere(~np.isfinite(array))[0])
        raise InvalidParameterError(
            f"values[{i}, {j}] must be finite (got {array[i, j]}); leave out replicates without a "
            "result"
        )
    return array


def _bounds(means: Floats, first: Columns, second: Columns, level: float) -> tuple[Floats, Floats]:
    """Quantiles of the resampled differences of each pair."""
    tail = (1.0 - level) / 2.0
    low, high = np.empty(first.size), np.empty(first.size)
    for start in range(0, first.size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        # Contiguous by pair: quantiles of neighbours in memory are found several times faster.
        drawn = np.ascontiguousarray((means[:, first[part]] - means[:, second[part]]).T)
        low[part], high[part] = np.quantile(drawn, (tail, 1.0 - tail), axis=1)
    return low, high
