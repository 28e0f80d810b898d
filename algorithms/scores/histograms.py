"""Histograms of unions of arithmetic progressions, without enumerating them."""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.progressions import Progressions, rank_above

SHIFT = 50
"""Bits of a float that are cut off to find its bin: four numbers are left between powers of 2."""


def histogram(samples: Progressions, edges: Floats) -> Longs:
    """Count samples by bins ``(edges[h], edges[h + 1]]``.

    edges: float64[H + 1], ends of the bins, strictly ascending from 0 to +inf. A bin includes its
        upper end.
    Returns: int64[H], samples in each bin; they sum up to all samples.

    O(Q H).

    >>> from algorithms.scores.progressions import positive_part
    >>> samples = positive_part(np.array([0.5]), np.array([0.0]), np.array([2_000_000_001]))
    >>> histogram(samples, np.array([0.0, 1.0, 10.0, np.inf])).tolist()
    [2, 18, 1999999980]
    """
    edges = np.require(edges, np.float64, ["C", "W"])
    if edges.ndim != 1 or edges.size < 2 or edges[0] != 0.0 or edges[-1] != math.inf:
        raise InvalidParameterError("edges must begin with 0 and end with +inf")
    if not (np.diff(edges) > 0.0).all():
        raise InvalidParameterError("edges must be strictly ascending")
    return _histogram(*samples, edges, _first_bins(edges))


@allocating
def _first_bins(edges: Floats) -> Longs:
    """Bin of the smallest of all positive floats that have the same leading bits."""
    number = np.zeros(1)
    bits = number.view(np.int64)
    bins = np.empty(1 << (63 - SHIFT), np.int64)
    bin_ = 0
    for leading in range(bins.size):
        bits[0] = leading << SHIFT
        # Leading bits beyond those of +inf are those of NaN, which no sample has.
        while edges[bin_ + 1] < number[0]:
            bin_ += 1
        bins[leading] = bin_
    return bins


@kernel
def _bin(value: float, bits: int, edges: Floats, first_bins: Longs) -> int:
    bin_ = int(first_bins[bits >> SHIFT])
    while edges[bin_ + 1] < value:
        bin_ += 1
    return bin_


@allocating
def _histogram(
    slope: Floats,
    intercept: Floats,
    base: Longs,
    size: Longs,
    smallest: Floats,
    largest: Floats,
    edges: Floats,
    first_bins: Longs,
) -> Longs:
    counts = np.zeros(edges.size - 1, np.int64)
    ranks = np.empty(edges.size)
    low_bits, high_bits = smallest.view(np.int64), largest.view(np.int64)
    for q in range(size.size):
        low = _bin(smallest[q], low_bits[q], edges, first_bins)
        high = _bin(largest[q], high_bits[q], edges, first_bins)
        between = edges[low + 1 : high + 1]
        right = _ranks_between(slope[q], intercept[q], base[q], size[q], between, ranks)
        seen = 0
        for h in range(between.size):
            rank = int(ranks[h])
            if not right:
                rank = rank_above(slope[q], intercept[q], base[q], seen, size[q], between[h])
            counts[low + h] += rank - seen
            seen = rank
        counts[high] += size[q] - seen
    return counts


@kernel
def _ranks_between(
    slope: float, intercept: float, base: int, size: int, values: Floats, ranks: Floats
) -> bool:
    """Samples of a progression that are at most each value, from the closed form alone.

    The values are from the progression's smallest to below its largest sample. Returns whether all
    ranks are right: rounding can make the closed form wrong. The loop has no branch, so that the
    compiler vectorizes it.
    """
    inverse = 1.0 / slope
    step = -1.0 if slope < 0.0 else 1.0
    right = 0
    for h in range(values.size):
        rank = np.floor(((values[h] - intercept) * inverse - base) * step)
        rank = min(max(rank, 0.0), size - 2.0)
        index = base + step * rank
        below = slope * index + intercept
        above = slope * (index + step) + intercept
        right += (below <= values[h]) & (above > values[h])
        ranks[h] = rank + 1.0
    return right == values.size
