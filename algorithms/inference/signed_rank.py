"""Wilcoxon's signed-rank test of paired differences, exact also with ties and zeros."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError

MOST_EXACT = 50
"""Differences up to which the distribution is counted: 2**50 sign patterns fit a double."""


class SignedRank(NamedTuple):
    """Outcome of the test."""

    statistic: float
    """The smaller one of the sums of ranks of positive and of negative differences; NaN if all
    differences are 0."""
    p: float
    """Two-sided probability of a statistic as small as this if signs are random; NaN in the same
    case."""


def signed_rank(differences: Sequence[float] | Floats) -> SignedRank:
    """Test whether paired differences are symmetric about 0.

    differences: float64[n], one difference per pair, of any unit, finite. Zeros are left out, as
        Wilcoxon did.

    Wilcoxon 1945. Equal magnitudes share the mean of their ranks. For up to 50 differences other
    than 0, all sign patterns are counted, given these ranks (the shift algorithm of Streitberg
    and Röhmel 1986), so that ties need no correction; beyond, the normal approximation with
    the variance corrected for ties. O(n³) up to 50, O(n log n) beyond.

    >>> signed_rank([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])
    SignedRank(statistic=24.0, p=0.041259765625)
    >>> signed_rank([0.0, 0.0])
    SignedRank(statistic=nan, p=nan)
    """
    array = np.asarray(differences, dtype=np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise InvalidParameterError(
            "differences must be one-dimensional and finite, with at least 1 value, one per pair "
            f"(got shape {array.shape})"
        )
    nonzero = array[array != 0.0]
    if not nonzero.size:
        return SignedRank(math.nan, math.nan)
    ranks = rankdata(np.abs(nonzero))
    positive = float(ranks[nonzero > 0.0].sum())
    total = nonzero.size * (nonzero.size + 1) / 2
    statistic = min(positive, total - positive)
    p = _exact(ranks, statistic) if nonzero.size <= MOST_EXACT else _normal(ranks, statistic)
    return SignedRank(statistic, p)


def _exact(ranks: Floats, statistic: float) -> float:
    """Twice the share of sign patterns whose positive ranks sum up to the statistic at most."""
    doubled = np.rint(2.0 * ranks).astype(np.int64).tolist()  # half ranks become whole
    patterns = np.zeros(sum(doubled) + 1)
    patterns[0] = 1.0
    for rank in doubled:
        patterns[rank:] += patterns[:-rank].copy()
    fewer = float(patterns[: round(2.0 * statistic) + 1].sum())
    return min(1.0, 2.0 * fewer / 2.0 ** len(doubled))


def _normal(ranks: Floats, statistic: float) -> float:
    # The sum of squared ranks holds the correction for ties already.
    deviation = math.sqrt(float(np.square(ranks).sum())) / 2.0
    return float(2.0 * ndtr((statistic - float(ranks.sum()) / 2.0) / deviation))
