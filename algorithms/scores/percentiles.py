"""Order statistics and percentiles of unions of arithmetic progressions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from algorithms.core.arrays import Floats, Longs, check_count
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.histograms import histogram
from algorithms.scores.progressions import Progressions, ranks_above, sample


def order_statistic(samples: Progressions, rank: int) -> float:
    """The sample of a rank among all samples in ascending order.

    rank: Rank from 0.
    Returns: the sample, exactly; may be +inf.

    Counts samples at ever closer values until the bracket is one float wide. The next value comes
    from interpolation (Illinois). To guarantee an end, every third one is the middle of all floats
    in the bracket: at most 190 steps. Progressions without a sample in the bracket are dropped,
    which soon are most of them. O(Q) in practice.

    >>> from algorithms.scores.progressions import positive_part
    >>> samples = positive_part(np.array([0.5, 0.0]), np.array([0.0, 1.0]), np.array([10, 2]))
    >>> [order_statistic(samples, rank) for rank in (0, 1, 2, 3, 4)]
    [0.5, 1.0, 1.0, 1.0, 1.5]
    """
    rank = check_count("rank", rank, 0, int(samples.size.sum()) - 1)
    return float(_select(*samples[:4], rank, 0.0, math.inf))


def percentiles(
    samples: Progressions, percents: Sequence[float], edges: Floats, counts: Longs | None = None
) -> Floats:
    """Percentiles with linear interpolation between order statistics.

    percents: Percentiles, ``0 .. 100``.
    edges: float64[H + 1], ends of bins; see `algorithms.scores.histograms.histogram`. They decide
        where searches start, but do not change the result.
    counts: int64[H], histogram of the samples over these bins; None counts them.
    Returns: float64[len(percents)], what ``numpy.percentile(enumerated, percents,
        method="linear")`` returns, bit for bit; NaN if there are no samples. Where NumPy subtracts
        infinities and returns NaN, this does not: between an infinite sample and any other lies an
        infinite value.

    Definition 7 of Hyndman and Fan 1996. O(Q) per percentile, O(Q H) for the histogram.

    >>> from algorithms.scores.progressions import positive_part
    >>> samples = positive_part(np.array([1.0]), np.array([0.0]), np.array([1_000_000_001]))
    >>> percentiles(samples, [50, 100], np.array([0.0, np.inf])).tolist()
    [500000000.5, 1000000000.0]
    """
    for percent in percents:
        if not 0.0 <= percent <= 100.0:
            raise InvalidParameterError(f"percents must be between 0 and 100 (got {percent})")
    if not samples.size.size:
        return np.full(len(percents), np.nan)
    ends = np.cumsum(histogram(samples, edges) if counts is None else counts)
    return np.array([_percentile(samples, percent, edges, ends) for percent in percents])


def _percentile(samples: Progressions, percent: float, edges: Floats, ends: Longs) -> float:
    virtual = float(ends[-1] - 1) * (percent / 100.0)
    rank = math.floor(virtual)
    bin_ = int(np.searchsorted(ends, rank, side="right"))
    lower = float(_select(*samples[:4], rank, float(edges[bin_]), float(edges[bin_ + 1])))
    weight = virtual - rank
    if weight == 0.0:
        return lower
    return _interpolate(lower, float(_successor(*samples[:4], rank, lower)), weight)


def _interpolate(lower: float, upper: float, weight: float) -> float:
    """Weighted mean as NumPy computes it: from the nearer end, so that rounding is monotone."""
    if math.isinf(upper):
        return upper
    if weight >= 0.5:
        return upper - (upper - lower) * (1.0 - weight)
    return lower + (upper - lower) * weight


@allocating
def _successor(
    slope: Floats, intercept: Floats, base: Longs, size: Longs, rank: int, value: float
) -> float:
    """Sample of the next rank, given the sample of a rank."""
    count = 0
    following = math.inf
    below = ranks_above(slope, intercept, base, np.zeros_like(size), size, value)
    for q in range(size.size):
        count += below[q]
        if below[q] < size[q]:
            index = base[q] - below[q] if slope[q] < 0.0 else base[q] + below[q]
            following = min(following, sample(slope[q], intercept[q], index))
    return value if count > rank + 1 else following


@allocating
def _select(
    slope: Floats,
    intercept: Floats,
    base: Longs,
    size: Longs,
    rank: int,
    lower: float,
    upper: float,
) -> float:
    """Sample of a rank, which is known to be in ``(lower, upper]``.

    Positive floats are in the same order as their bits read as an integer; the bracket is kept
    in these. Of each progression, ranks ``low .. high - 1`` are in it.
    """
    floats = np.array([lower, upper, 0.0])
    bits = floats.view(np.int64)
    slope, intercept, base, low, high, below = _bracket(slope, intercept, base, size, lower, upper)
    inside = (high - low).sum()
    missing, excess = rank + 0.5 - below, below + inside - rank - 0.5
    rose, turn = False, 0
    while bits[1] - bits[0] > 1:
        width = bits[1] - bits[0]
        turn += 1
        share = 0.5 if turn % 3 == 0 else missing / (missing + excess)
        bits[2] = bits[0] + min(max(int(width * share), 1), width - 1)
        middle = ranks_above(slope, intercept, base, low, high, floats[2])
        count = below + (middle - low).sum()
        if count > rank:
            bits[1] = bits[2]
            high = middle
            # Illinois: an end that stays twice counts half, so that both ends move.
            missing, excess = missing * (1.0 if rose or turn == 1 else 0.5), count - rank - 0.5
        else:
            bits[0] = bits[2]
            low = middle
            below = count
            missing, excess = rank + 0.5 - below, excess * (0.5 if rose else 1.0)
        rose = count <= rank
        kept = _drop_empty(slope, intercept, base, low, high)
        slope, intercept, base = slope[:kept], intercept[:kept], base[:kept]
        low, high = low[:kept], high[:kept]
    return float(floats[1])


@allocating
def _bracket(
    slope: Floats, intercept: Floats, base: Longs, size: Longs, lower: float, upper: float
) -> tuple[Floats, Floats, Longs, Longs, Longs, int]:
    """Copies of the progressions with samples in a bracket, their ranks there, samples below."""
    first = np.zeros_like(size)
    low = ranks_above(slope, intercept, base, first, size, lower)
    high = ranks_above(slope, intercept, base, first, size, upper)
    below = low.sum()
    slope, intercept, base = slope.copy(), intercept.copy(), base.copy()
    kept = _drop_empty(slope, intercept, base, low, high)
    return slope[:kept], intercept[:kept], base[:kept], low[:kept], high[:kept], below


@kernel
def _drop_empty(slope: Floats, intercept: Floats, base: Longs, low: Longs, high: Longs) -> int:
    """Move progressions with ranks left to the front, to count vectorized; return how many."""
    kept = 0
    for q in range(low.size):
        slope[kept], intercept[kept], base[kept] = slope[q], intercept[q], base[q]
        low[kept], high[kept] = low[q], high[q]
        kept += low[kept] < high[kept]
    return kept
