"""The fewest bins for partitions of a rate and a lag each, by branch and bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core import sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inlined, kernel

ENOUGH = 6_000_000
"""Placements that decide every instance of at most `EXACT` partitions: there are 5,034,584 ways to
divide the first 1, 2 ... 12 of them."""

EXACT = 12
"""Partitions up to which the search always ends with the optimum."""

FEW = 5_000
"""Placements for more partitions, where a decision must not take long."""

_UNIT = 1e6
_MOST = 2.0**61
_NO, _YES, _UNKNOWN = 0, 1, 2


class Search(NamedTuple):
    """Work arrays of a search over P partitions. Amounts are whole millionths."""

    order: Longs
    spare: Longs
    """`order`, `spare`: int64[P]: partitions, largest first, and scratch space for sorting."""
    sizes: Floats
    """float64[P]: rate and lag of each partition as shares of the capacities, added."""
    rates: Longs
    lags: Longs
    """`rates`, `lags`: int64[P]: amounts in that order, at most the capacities."""
    rest_rates: Longs
    rest_lags: Longs
    least_rates: Longs
    least_lags: Longs
    """`rest_rates`, `rest_lags`, `least_rates`, `least_lags`: int64[P + 1]: totals and least
    amounts of the partitions from each place of the order on."""
    places: Longs
    """int64[P]: bin of each partition in that order, -1 for none yet."""
    free_rates: Longs
    free_lags: Longs
    held: Longs
    """`free_rates`, `free_lags`, `held`: int64[P]: what is left of each bin, and its partitions."""
    bins: Longs
    """int64[P]: bin of each partition in the best packing."""
    rooms: Longs
    """int64[2]: rate and lag that a bin may have, unless it has one partition."""
    proved: Longs
    """int64[1]: number of bins below which there is no packing."""


def create(partitions: int) -> Search:
    """Work arrays for P partitions; for none, what a strategy without a search holds."""
    one, further = np.zeros(partitions, np.int64), np.zeros(partitions + 1, np.int64)
    return Search(
        order=np.arange(partitions),
        spare=one.copy(),
        sizes=np.zeros(partitions),
        rates=one.copy(),
        lags=one.copy(),
        rest_rates=further.copy(),
        rest_lags=further.copy(),
        least_rates=further.copy(),
        least_lags=further.copy(),
        places=one.copy(),
        free_rates=one.copy(),
        free_lags=one.copy(),
        held=one.copy(),
        bins=one.copy(),
        rooms=np.zeros(2, np.int64),
        proved=np.zeros(1, np.int64),
    )


def placements(partitions: int) -> int:
    """Placements after which a decision's search for one number of bins ends."""
    return ENOUGH if partitions <= EXACT else FEW


@kernel
def improve(
    search: Search,
    rates: Floats,
    lags: Floats,
    rate_cap: float,
    lag_cap: float,
    strict: bool,
    below: int,
    placements: int,
) -> int:
    """Find the fewest bins if they are fewer than `below`; return `below` if none are found.

    rates, lags: float64[P]. What is above a capacity is cut to it.
    strict: Whether the rates in a bin must be below the capacity, unless it has one partition.
    placements: Placements that are tried for each number of bins.

    Fills `bins` if fewer are found, and `proved`: no packing has fewer bins than that. The optimum
    is proved if `proved` is the result. Amounts are rounded to whole millionths, so that full bins
    do not depend on the order of adding. For one number of bins after another, partitions are
    placed depth first, largest first. Of empty bins, of bins with equally much left and of orders
    of equal partitions only the first counts: the first of all packings in lexicographic order
    survives. A branch ends where what is left of bins that have room for any of the rest is less
    than the rest.
    """
    partitions = rates.shape[0]
    unit = min(_UNIT, _MOST / (partitions * max(rate_cap, lag_cap)))
    search.rooms[0] = int(np.rint(rate_cap * unit)) - (1 if strict else 0)
    search.rooms[1] = int(np.rint(lag_cap * unit))
    _take(search, rates, lags, rate_cap, lag_cap, unit)
    _add_up(search)
    least = max(_least(search.rates, search.rooms[0]), _least(search.lags, search.rooms[1]))
    search.proved[0] = min(least, below)
    for n in range(least, below):
        answer = _search(search, n, placements)
        if answer == _YES:
            for i in range(partitions):
                search.bins[search.order[i]] = search.places[i]
            return n
        if answer == _NO and search.proved[0] == n:
            search.proved[0] = n + 1
    return below


@kernel
def _take(
    search: Search, rates: Floats, lags: Floats, rate_cap: float, lag_cap: float, unit: float
) -> None:
    """Fill in the amounts, largest partitions first."""
    for p in range(rates.shape[0]):
        search.sizes[p] = min(rates[p], rate_cap) / rate_cap
        if lag_cap > 0.0:
            search.sizes[p] += min(lags[p], lag_cap) / lag_cap
    sorting.descending(search.sizes, search.order, search.spare)
    for i in range(rates.shape[0]):
        p = search.order[i]
        search.rates[i] = int(np.rint(min(rates[p], rate_cap) * unit))
        search.lags[i] = int(np.rint(min(lags[p], lag_cap) * unit))


@kernel
def _add_up(search: Search) -> None:
    """Fill in totals and least amounts; a partition alone needs no more than a bin has."""
    last = search.rates.shape[0] - 1
    search.rest_rates[last + 1] = search.rest_lags[last + 1] = 0
    for i in range(last, -1, -1):
        rate, lag = min(search.rates[i], search.rooms[0]), search.lags[i]
        search.rest_rates[i] = search.rest_rates[i + 1] + rate
        search.rest_lags[i] = search.rest_lags[i + 1] + lag
        search.least_rates[i] = rate if i == last else min(rate, search.least_rates[i + 1])
        search.least_lags[i] = lag if i == last else min(lag, search.least_lags[i + 1])


@kernel
def _least(amounts: Longs, room: int) -> int:
    """Bins that the total needs, and that partitions above half a bin need."""
    total, large = 0, 0
    for amount in amounts:
        # A partition that fills more than a bin may be alone nevertheless.
        total += min(amount, room)
        if 2 * amount > room:
            large += 1
    return max(1, large, -(-total // room) if room > 0 else 1)


@kernel
def _search(search: Search, n: int, placements: int) -> int:
    """Whether n bins are enough; leaves a packing in `places` if they are."""
    partitions, tried, i = search.rates.shape[0], 0, 0
    for bin_ in range(n):
        search.free_rates[bin_], search.free_lags[bin_] = search.rooms[0], search.rooms[1]
        search.held[bin_] = 0
    search.places[0] = -1
    while i >= 0:
        bin_ = search.places[i]
        if bin_ >= 0:
            _move(search, i, bin_, -1)
        bin_ = _next(search, i, n)
        search.places[i] = bin_
        if bin_ < 0:
            i -= 1
            continue
        _move(search, i, bin_, 1)
        if i == partitions - 1:
            return _YES
        tried += 1
        if tried > placements:
            return _UNKNOWN
        if _has_room(search, i + 1, n):
            i += 1
            search.places[i] = -1
    return _NO


@inlined
def _move(search: Search, i: int, bin_: int, sign: int) -> None:
    search.free_rates[bin_] -= sign * search.rates[i]
    search.free_lags[bin_] -= sign * search.lags[i]
    search.held[bin_] += sign


@kernel
def _next(search: Search, i: int, n: int) -> int:
    """The next bin to try for the partition at place i of the order, -1 for none."""
    first, rate, lag = search.places[i] + 1, search.rates[i], search.lags[i]
    if i > 0 and rate == search.rates[i - 1] and lag == search.lags[i - 1]:
        first = max(first, search.places[i - 1])
    for bin_ in range(n):
        if search.held[bin_] == 0:
            return bin_ if bin_ >= first else -1
        if bin_ < first:
            continue
        fits = search.free_rates[bin_] >= rate and search.free_lags[bin_] >= lag
        if fits and not _is_repeated(search, bin_):
            return bin_
    return -1


@kernel
def _is_repeated(search: Search, bin_: int) -> bool:
    """Whether an earlier bin has equally much left."""
    rate, lag = search.free_rates[bin_], search.free_lags[bin_]
    for other in range(bin_):
        if search.free_rates[other] == rate and search.free_lags[other] == lag:
            return True
    return False


@kernel
def _has_room(search: Search, i: int, n: int) -> bool:
    """Whether what bins have left may be enough for the partitions from place i on."""
    rate, lag = search.least_rates[i], search.least_lags[i]
    rates, lags = 0, 0
    for bin_ in range(n):
        if search.free_rates[bin_] >= rate and search.free_lags[bin_] >= lag:
            rates += search.free_rates[bin_]
            lags += search.free_lags[bin_]
    return bool(rates >= search.rest_rates[i] and lags >= search.rest_lags[i])
