"""Ranks of algorithms over replicates: Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from algorithms.core.arrays import Floats, check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.paired import check_replicates

MAX_COUNT = 10**9
"""Most replicates for a critical difference."""

MAX_ALGORITHMS = 1000
"""Most algorithms for a critical difference; the distribution is integrated numerically."""


class Ranking(NamedTuple):
    """Mean ranks and whether they differ."""

    mean_ranks: Floats
    """float64[k]: mean over replicates of each algorithm's rank; 1 is the smallest value."""
    statistic: float
    p: float
    """`statistic`, `p`: Friedman's chi-square and its probability; NaN for fewer than 2 replicates
    or 3 algorithms, and where all algorithms are equal on every replicate."""
    critical_difference: float
    """Difference of mean ranks from which two algorithms differ at 5 %; NaN for fewer than 2
    replicates or algorithms."""


def rank(values: Floats) -> Ranking:
    """Rank algorithms on each replicate, smallest value first, and test whether ranks differ.

    values: float64[n, k], one row per replicate, one column per algorithm, any unit, finite.

    Friedman 1937; equal values share the mean of their ranks, and the statistic is corrected for
    that. Its probability is that of chi-square with ``k - 1`` degrees of freedom, which is good
    from some 10 replicates on. O(n k log k).

    >>> ranks, statistic, p, apart = rank(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]] * 4))
    >>> ranks.tolist(), statistic, round(p, 4), round(apart, 3)
    ([1.0, 2.5, 2.5], 12.0, 0.0025, 1.172)
    """
    values = check_replicates(values)
    n, k = values.shape
    ranks = rankdata(values, axis=1)
    statistic, p = math.nan, math.nan
    tied = bool((values == values[:, :1]).all())
    if n >= 2 and k >= 3 and not tied:
        statistic, p = (float(value) for value in friedmanchisquare(*values.T))
    apart = critical_difference(k, n) if n >= 2 and k >= 2 else math.nan
    return Ranking(ranks.mean(axis=0), statistic, p, apart)


def critical_difference(algorithms: int, replicates: int, level: float = 0.05) -> float:
    """Difference from which two mean ranks differ significantly, for any two of all.

    algorithms: Number of algorithms that are ranked, 2 to 1000.
    replicates: Number of replicates that ranks are averaged over, at least 1.
    level: Probability that any two are found to differ although all are equal, between 0 and 1.

    Nemenyi 1963, as in Demšar 2006, Section 3.2.2: ``q sqrt(k (k + 1) / (6 n))`` with ``q`` the
    quantile of the studentized range for k values and infinite degrees of freedom, divided by
    ``sqrt(2)``.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    k = check_count("algorithms", algorithms, 2, MAX_ALGORITHMS)
    n = check_count("replicates", replicates, 1, MAX_COUNT)
    if not 0.0 < level < 1.0:
        raise InvalidParameterError(
            f"level must be between 0 and 1, exclusive (got {level}); write 5 % as 0.05"
        )
    quantile = float(studentized_range.ppf(1.0 - level, k, math.inf))
    return quantile / math.sqrt(2.0) * math.sqrt(k * (k + 1) / (6.0 * n))


def groups(mean_ranks: Floats, critical_difference: float) -> list[list[int]]:
    """Largest sets of algorithms that a critical-difference diagram joins by a line.

    critical_difference: Mean ranks that are at least this far apart differ; NaN joins none.
    Returns: indexes into the mean ranks, by rank (equal ones by index), of each set of at least two
        algorithms of which no two differ, and which is part of no other such set. Sets are in the
        order of their smallest rank.

    Demšar 2006, Figure 1. O(k log k).

    >>> groups(np.array([3.0, 1.0, 1.5, 4.2]), 2.5)
    [[1, 2, 0], [0, 3]]
    """
    ranks = np.asarray(mean_ranks, dtype=np.float64)
    order = np.argsort(ranks, kind="stable")
    ordered, sets, reached = ranks[order], [], 0
    for start in range(order.size):
        apart = ordered[start:] - ordered[start]
        stop = start + int(np.count_nonzero(apart < critical_difference))
        if stop > max(reached, start + 1):
            sets.append([int(i) for i in order[start:stop]])
            reached = stop
    return sets
