"""The least-loaded packing of partitions by rate and lag."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from algorithms.autoscaling import totals
from algorithms.autoscaling.number_checks import check_number, check_values
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs, check_count
from algorithms.core.compiled import kernel

MAX_BINS = 2**31 - 1
"""Greatest number of bins to start with."""

# Far above the error of as many roundings as there are partitions, for up to a million of them.
_SURELY = 1.0 - 1e-9

_CLASSES = 16
"""Partitions of which more than this many fit into a bin are not counted by size."""


class Bins(NamedTuple):
    """Work arrays of a packing of P partitions into up to N bins."""

    cut_rates: Floats
    cut_lags: Floats
    """`cut_rates`, `cut_lags`: float64[P]: rates and lags, at most the capacities."""
    order: Longs
    spare: Longs
    """`order`, `spare`: int64[P]: partitions by rate, and scratch space for sorting."""
    fitting: Longs
    """int64[17]: partitions by how many of their size fit into a bin, for few."""
    bins: Longs
    """int64[P]: bin of each partition after a packing."""
    free_rates: Floats
    free_lags: Floats
    """`free_rates`, `free_lags`: float64[N]: what is left of the capacities of each bin."""
    held: Longs
    """int64[N]: partitions in each bin."""
    ranking: Longs
    """int64[N]: bins by what is left of the rate, most first."""


def create(partitions: int, most: int) -> Bins:
    """Work arrays for P partitions and packings that start with up to `most` bins."""
    room = max(partitions, most)
    return Bins(
        cut_rates=np.empty(partitions),
        cut_lags=np.empty(partitions),
        order=np.arange(partitions),
        spare=np.empty(partitions, np.int64),
        fitting=np.empty(_CLASSES + 1, np.int64),
        bins=np.empty(partitions, np.int64),
        free_rates=np.empty(room),
        free_lags=np.empty(room),
        held=np.empty(room, np.int64),
        ranking=np.empty(room, np.int64),
    )


def pack(
    rates: ArrayLike, lags: ArrayLike, rate_cap: float, lag_cap: float, n0: int = 1
) -> list[list[int]]:
    """Pack partitions into the least number of bins, at least `n0`, that this packing finds.

    Rates and lags above a capacity are lowered to it. For ``n = n0, n0 + 1, ...`` the partitions
    are placed, largest rate first, into n empty bins. A partition goes to the bin with the most
    rate left that has enough left of both capacities. If there is none, the next n is tried.

    rates, lags: float64[P], events/s and events of each partition.
    rate_cap, lag_cap: Capacities of a bin, events/s (above 0) and events (at least 0).
    Returns: partitions of each bin, ascending. Some bins may be empty.

    Algorithm 1 of Ezzeddine 2024. What is left is found by successive subtraction in float64,
    without a tolerance. Ties in rate go by partition index. Bins with equal rates left keep the
    order in which the last placement left them, which starts by bin number. Numbers of bins that
    cannot be enough are skipped: their capacities are below the totals, or too few partitions of
    one size fit into each. O(P log P + T P N) for T tried numbers of bins.

    >>> pack([4.0, 6.0, 5.0], [0.0, 0.0, 0.0], 10.0, 10.0)
    [[1], [0, 2]]
    >>> pack([4.0, 6.0, 5.0], [0.0, 5.0, 6.0], 10.0, 10.0, n0=3)
    [[1], [2], [0]]
    """
    checked = check_values("rates", rates)
    waiting = check_values("lags", lags, checked.size)
    rate_capacity = check_number("rate_cap", rate_cap, above=0.0)
    lag_capacity = check_number("lag_cap", lag_cap, at_least=0.0)
    first = check_count("n0", n0, 1, MAX_BINS)
    work = create(checked.size, first)
    count = fill(work, checked, waiting, rate_capacity, lag_capacity, first, False)
    result: list[list[int]] = [[] for _ in range(count)]
    for partition, bin_ in enumerate(work.bins.tolist()):
        result[bin_].append(partition)
    return result


@kernel
def fill(
    work: Bins,
    rates: Floats,
    lags: Floats,
    rate_cap: float,
    lag_cap: float,
    n0: int,
    strict: bool,
    below: int = MAX_BINS,
) -> int:
    """Pack as `pack` does; fill `bins` and return the number of bins.

    `n0` is at most the number of bins for which `work` was made. With `strict`, a partition needs
    more than its rate left, except in an empty bin. If fewer than `below` bins are not enough, a
    number that is not less is returned, and `bins` has no packing.
    """
    for p in range(rates.shape[0]):
        work.cut_rates[p] = min(rates[p], rate_cap)
        work.cut_lags[p] = min(lags[p], lag_cap)
    if not _is_ordered(work.cut_rates, work.order):
        sorting.descending(work.cut_rates, work.order, work.spare)
    fitting = work.fitting
    n = max(
        n0, _needed(work.cut_rates, rate_cap, fitting), _needed(work.cut_lags, lag_cap, fitting)
    )
    # With as many bins as partitions one is always empty.
    while n < below and not _fits(work, n, rate_cap, lag_cap, strict):
        n += 1
    return n


@kernel
def copy_bins(bins: Longs, after: Longs) -> None:
    """Copy the bin of each partition."""
    for p in range(bins.shape[0]):
        after[p] = bins[p]


@kernel
def _is_ordered(keys: Floats, order: Longs) -> bool:
    """Whether indices are as `sorting.descending` leaves them, as after a packing of these keys."""
    for i in range(1, order.shape[0]):
        before, after = keys[order[i - 1]], keys[order[i]]
        if before < after or (before == after and order[i - 1] > order[i]):
            return False
    return True


@kernel
def _needed(values: Floats, capacity: float, fitting: Longs) -> int:
    """Number of bins below which partitions surely do not fit.

    The capacities must reach the total. And of partitions so large that at most k of them fit into
    a bin, there may be k per bin.
    """
    if capacity <= 0.0:
        return 1
    fitting[:] = 0
    for value in values:
        if value * _CLASSES > capacity:
            fitting[min(int(capacity / value / _SURELY), _CLASSES)] += 1
    needed, large = int(np.ceil(totals.total(values) / capacity * _SURELY)), 0
    for most in range(1, _CLASSES):
        large += fitting[most]
        needed = max(needed, (large + most - 1) // most)
    return needed


@kernel
def _fits(work: Bins, n: int, rate_cap: float, lag_cap: float, strict: bool) -> bool:
    for i in range(_one_each(work, n, rate_cap, lag_cap), work.order.shape[0]):
        p = work.order[i]
        place = _first_with_room(work, n, work.cut_rates[p], work.cut_lags[p], strict)
        if place < 0:
            return False
        bin_ = work.ranking[place]
        work.bins[p] = bin_
        work.held[bin_] += 1
        work.free_rates[bin_] -= work.cut_rates[p]
        work.free_lags[bin_] -= work.cut_lags[p]
        _rank_again(work, n, place)
    return True


@kernel
def _one_each(work: Bins, n: int, rate_cap: float, lag_cap: float) -> int:
    """Place the largest partitions, as long as a bin is empty; return how many. O(N).

    An empty bin has room for any partition, and more left than all others, unless a rate is too
    small to lower the capacity. A later partition is smaller, so its bin has no less left.
    """
    placed = 0
    for i in range(min(n, work.order.shape[0])):
        p = work.order[i]
        left = rate_cap - work.cut_rates[p]
        if left == rate_cap:
            break
        work.bins[p] = i
        work.held[i] = 1
        work.free_rates[i] = left
        work.free_lags[i] = lag_cap - work.cut_lags[p]
        placed += 1
    for i in range(placed, n):
        work.held[i] = 0
        work.free_rates[i] = rate_cap
        work.free_lags[i] = lag_cap
        work.ranking[i - placed] = i
    for i in range(placed):
        work.ranking[n - 1 - i] = i
    return placed


@kernel
def _first_with_room(work: Bins, n: int, rate: float, lag: float, strict: bool) -> int:
    for place in range(n):
        bin_ = work.ranking[place]
        free = work.free_rates[bin_]
        # All further bins have no more left.
        if free < rate:
            return -1
        if work.free_lags[bin_] >= lag and (not strict or free > rate or work.held[bin_] == 0):
            return place
    return -1


@kernel
def _rank_again(work: Bins, n: int, place: int) -> None:
    """Sort the ranking after one bin lost rate: only that bin moves, behind those with more."""
    bin_ = work.ranking[place]
    free = work.free_rates[bin_]
    low, high = place, n - 1
    while low < high:
        middle = (low + high + 1) // 2
        if work.free_rates[work.ranking[middle]] > free:
            low = middle
        else:
            high = middle - 1
    for i in range(place, low):
        work.ranking[i] = work.ranking[i + 1]
    work.ranking[low] = bin_
