"""Intervals over replicates; the replicate is a stream, whose iterations depend on each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from algorithms.arrays import Floats, check_seed
from algorithms.errors import InvalidParameterError

RESAMPLES = 9999
"""The ends of a 95 % interval then scatter by less than 1 % of its width."""

BATCH = 2**20
"""Values that are drawn at once; it bounds memory and does not change results."""


class Interval(NamedTuple):
    """A mean with an interval.

    Attributes
    ----------
    mean : float
        Mean of the values, in their unit.
    low, high : float
        Ends of the interval, ``low <= mean <= high``; NaN for fewer than 2 values.
    """

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float] | Floats, level: float = 0.95, seed: int = 0) -> Interval:
    """Confidence interval of the mean by the percentile bootstrap.

    Parameters
    ----------
    values : float64[n]
        One value per replicate, finite; their order does not matter.
    level : float, default 0.95
        Confidence, between 0 and 1.
    seed : int, default 0
        Seed of the resampling.

    Returns
    -------
    Interval
        The mean and its interval. It does not shrink to less than the mean where resamples'
        means are rounded to its other side.

    Raises
    ------
    InvalidParameterError
        If there is no value, one is not finite, or the level or seed is out of its bounds.

    Notes
    -----
    Efron 1979: 9999 resamples of n values with replacement; the interval goes from the
    ``(1 - level) / 2`` to the ``(1 + level) / 2`` quantile of their means. O(9999 n).

    It is somewhat too narrow for few values: of normal ones, an interval at 95 % holds the true
    mean in 90 % of cases for n = 10, in 94 % for n = 40 and in 95 % for n = 100.

    Examples
    --------
    >>> mean, low, high = mean_interval([4.0, 5.0, 6.0, 5.0])
    >>> mean, 4.0 <= low < 5.0 < high <= 6.0
    (5.0, True)
    >>> mean_interval([4.0])
    Interval(mean=4.0, low=nan, high=nan)
    """
    ordered = np.sort(_check_values(values))
    level, seed = _check_level(level), check_seed(seed)
    mean = float(ordered.mean())
    if ordered.size < 2:
        return Interval(mean, math.nan, math.nan)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(_resampled_means(ordered, seed), (tail, 1.0 - tail)).tolist()
    return Interval(mean, min(low, mean), max(high, mean))


def prediction_interval(values: Sequence[float] | Floats, level: float = 0.95) -> Interval:
    """Interval in which the value of one further replicate falls, for normal values.

    It is wider than that of the mean: a further stream has its own scatter besides.

    Parameters
    ----------
    values : float64[n]
        One value per replicate, finite.
    level : float, default 0.95
        Probability, between 0 and 1.

    Returns
    -------
    Interval
        The mean and the interval, symmetric about it.

    Raises
    ------
    InvalidParameterError
        If there is no value, one is not finite, or the level is out of its bounds.

    Notes
    -----
    ``mean ± t s sqrt(1 + 1/n)`` with the sample's standard deviation ``s`` and the
    ``(1 + level) / 2`` quantile ``t`` of Student's distribution with ``n - 1`` degrees of
    freedom. O(n).

    Examples
    --------
    >>> mean, low, high = prediction_interval([4.0, 5.0, 6.0])
    >>> mean, round(low, 3), round(high, 3)
    (5.0, 0.032, 9.968)
    """
    given, level = _check_values(values), _check_level(level)
    mean = float(given.mean())
    if given.size < 2:
        return Interval(mean, math.nan, math.nan)
    quantile = float(stdtrit(given.size - 1, (1.0 + level) / 2.0))
    reach = quantile * float(given.std(ddof=1)) * math.sqrt(1.0 + 1.0 / given.size)
    return Interval(mean, mean - reach, mean + reach)


def _resampled_means(values: Floats, seed: int) -> Floats:
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(RESAMPLES)
    rows = max(1, BATCH // values.size)
    for start in range(0, RESAMPLES, rows):
        stop = min(start + rows, RESAMPLES)
        drawn = generator.integers(0, values.size, size=(stop - start, values.size))
        means[start:stop] = values[drawn].mean(axis=1)
    return means


def _check_values(values: Sequence[float] | Floats) -> Floats:
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or not given.size:
        raise InvalidParameterError(
            f"values has shape {given.shape}: must be one-dimensional with at least 1 value; "
            "give one value per replicate"
        )
    wrong = ~np.isfinite(given)
    if wrong.any():
        i = int(wrong.argmax())
        raise InvalidParameterError(
            f"values[{i}] is {given[i]}: must be finite; leave out replicates without a result"
        )
    return given


def _check_level(level: float) -> float:
    value = float(level)
    if not 0.0 < value < 1.0:
        raise InvalidParameterError(
            f"level is {level}: must be between 0 and 1, exclusive; give 95 % as 0.95"
        )
    return value
