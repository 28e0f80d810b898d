"""Unions of arithmetic progressions of floats: counted, never enumerated.

Sample ``i`` of a progression is ``fl(fl(slope i) + intercept)``. Rounding is monotone, so the
samples are monotone in ``i``. The closed form ``i = (x - intercept) / slope`` gives how many are at
most ``x``, up to the rounding of this formula, which a check of the neighbouring samples corrects.
Results therefore equal those of the enumerated samples, bit for bit, at a cost that does not depend
on their number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating, kernel
from algorithms.core.input_errors import InvalidParameterError

MAX_SAMPLES = 2**53
"""Up to here every index, and every count, is exact as a float."""


class Progressions(NamedTuple):
    """Positive samples of Q progressions, each in ascending order.

    The sample of rank ``r = 0 .. size - 1`` has the index ``base + r``, or ``base - r`` where
    the slope is negative.
    """

    slope: Floats
    """float64[Q]: difference of consecutive indices' samples; may be +inf: all but index 0 are
    infinite."""
    intercept: Floats
    """float64[Q]: sample of index 0; may be +inf."""
    base: Longs
    """int64[Q]: index of the smallest positive sample."""
    size: Longs
    """int64[Q]: number of positive samples, at least 1."""
    smallest: Floats
    largest: Floats
    """`smallest`, `largest`: float64[Q]: samples of rank 0 and of rank ``size - 1``."""


def positive_part(slope: Floats, intercept: Floats, length: Longs) -> Progressions:
    """Keep the positive samples of progressions.

    slope: float64[Q], slopes, finite or +inf.
    intercept: float64[Q], samples of index 0, finite or +inf.
    length: int64[Q], numbers of samples, of the indices ``0 .. length - 1``; 2**53 in all at most.
    Returns: those that have a positive sample, in the given order, without their other samples.

    O(Q).

    >>> part = positive_part(np.array([-2.0, -1.0]), np.array([5.0, 0.0]), np.array([9, 9]))
    >>> part.size.tolist(), part.smallest.tolist(), part.largest.tolist()
    ([3], [1.0], [5.0])
    """
    if not slope.shape == intercept.shape == length.shape or slope.ndim != 1:
        raise InvalidParameterError(
            "slope, intercept and length must be one-dimensional and of equal length "
            f"(got shapes {slope.shape}, {intercept.shape} and {length.shape})"
        )
    if not ((slope > -np.inf).all() and (intercept > -np.inf).all()):
        raise InvalidParameterError("slope and intercept must be finite or +inf (got NaN or -inf)")
    # Summed as floats: integers could overflow, and the limit is far below their precision.
    if (length < 0).any() or length.sum(dtype=np.float64) > MAX_SAMPLES:
        raise InvalidParameterError(
            "length must be at least 0 and at most 2**53 in total (got a minimum of "
            f"{length.min()} and a total of {length.sum(dtype=np.float64):.6g}); "
            "count in a larger unit"
        )
    return Progressions(*_positive_part(slope, intercept, length))


@kernel
def sample(slope: float, intercept: float, index: int) -> float:
    """Sample of an index; the first is the intercept, also where the slope is infinite."""
    return slope * index + intercept if index > 0 else intercept


@kernel
def rank_above(slope: float, intercept: float, base: int, low: int, high: int, value: float) -> int:
    """Number of a progression's samples that are at most a value, known to be ``low .. high``.

    The closed form is tried first. If rounding made it wrong, usually by one, the range is
    searched outwards from there in growing steps, and by halves once the steps span it.
    """
    if low >= high:
        return low
    if slope == 0.0:
        return high if intercept <= value else low
    step = -1 if slope < 0.0 else 1
    reach = ((value - intercept) / slope - base) * step
    if not reach >= low:  # also if it is NaN
        guess = low
    elif reach >= high:
        guess = high
    else:
        guess = math.floor(reach) + 1
    stride = 1
    while low < high:
        if guess > low and sample(slope, intercept, base + step * (guess - 1)) > value:
            high = guess - 1
            guess = high - min(stride - 1, (high - low) // 2)
        elif guess < high and sample(slope, intercept, base + step * guess) <= value:
            low = guess + 1
            guess = low + min(stride - 1, (high - low) // 2)
        else:
            return guess
        stride = min(2 * stride, high - low + 1)
    return low


@allocating
def ranks_above(
    slope: Floats, intercept: Floats, base: Longs, low: Longs, high: Longs, value: float
) -> Longs:
    """Number of each progression's samples that are at most a value, known to be ``low .. high``.

    The closed form is computed for all progressions first, without a branch, so that the compiler
    vectorizes it. Where the neighbouring samples do not confirm it, the rank is searched for.
    """
    ranks = np.empty(low.size, np.int64)
    for q in range(low.size):
        step = -1.0 if slope[q] < 0.0 else 1.0
        first, last = low[q] - 1.0, high[q] - 1.0
        reach = np.floor(((value - intercept[q]) / slope[q] - base[q]) * step)
        reach = min(max(reach, first), last)
        index = base[q] + step * reach
        below = slope[q] * index + intercept[q]
        above = slope[q] * (index + step) + intercept[q]
        right = ((below <= value) | (reach <= first)) & ((above > value) | (reach >= last))
        ranks[q] = np.int64(reach + 1.0) if right else -1
    for q in range(low.size):
        if ranks[q] < 0:
            ranks[q] = rank_above(slope[q], intercept[q], base[q], low[q], high[q], value)
    return ranks


@allocating
def _positive_part(
    slope: Floats, intercept: Floats, length: Longs
) -> tuple[Floats, Floats, Longs, Longs, Floats, Floats]:
    n = slope.size
    base, size = np.empty(n, np.int64), np.empty(n, np.int64)
    smallest, largest = np.empty(n), np.empty(n)
    kept = np.zeros(n, np.bool_)
    for q in range(n):
        m, b, count = slope[q], intercept[q], length[q]
        first = 0 if m >= 0.0 else count - 1
        step = 1 if m >= 0.0 else -1
        rank = rank_above(m, b, first, 0, count, 0.0)
        base[q], size[q] = first + step * rank, count - rank
        if size[q] > 0:
            kept[q] = True
            smallest[q] = sample(m, b, base[q])
            largest[q] = sample(m, b, base[q] + step * (size[q] - 1))
    return slope[kept], intercept[kept], base[kept], size[kept], smallest[kept], largest[kept]
