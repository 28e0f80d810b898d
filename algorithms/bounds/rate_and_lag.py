"""The fewest replicas for partitions of a rate and a lag each: Eq. 5 of Ezzeddine 2024."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array

from algorithms.autoscaling import exact_packing, least_loaded
from algorithms.autoscaling.exact_packing import ENOUGH, EXACT, Search
from algorithms.autoscaling.number_checks import check_number, check_values
from algorithms.bounds import solver
from algorithms.bounds.effort import Budget, Effort
from algorithms.bounds.result import EQUAL, MODEL, SEARCH, Bound, narrowed
from algorithms.core.arrays import Floats, Ints, Longs

_LEAST_CAPACITY = 1e-5
"""Ten millionths, in which amounts are added."""


def fewest_replicas(
    rates: ArrayLike,
    lags: ArrayLike,
    rate_cap: float,
    lag_cap: float,
    effort: Effort,
    strict: bool = False,
) -> Bound:
    """Bound the replicas that can have all partitions within a capacity of rate and one of lag.

    rates, lags: float64[P], events/s and events of each partition. What is above a capacity is cut
        to it, as `algorithms.autoscaling.least_loaded.pack` does.
    rate_cap, lag_cap: Capacities of a replica: events/s that it serves, and events that it serves
        within the latency bound.
    strict: Whether the rates of a replica must be below the capacity, unless it has one partition.
        By default both sums may reach their capacities.
    Returns: the interval, and an assignment with `upper` replicas. Both ends are integers.

    A branch and bound over whole packings decides up to 12 partitions
    (`algorithms.autoscaling.exact_packing`). Above, HiGHS solves the integer program where the
    search ends at its limit: each partition is in one replica, replicas are used in order, and
    partition i is in none of the replicas after the i-th. Sums are of whole millionths.

    >>> from algorithms.bounds.effort import effort
    >>> found = fewest_replicas([50.0, 50.0, 40.0, 60.0], [0.0] * 4, 100.0, 10.0, effort(1.0))
    >>> found.lower, found.upper, found.proved, found.assignment.tolist()
    (2.0, 2.0, True, [1, 1, 0, 0])
    """
    amounts = check_values("rates", rates)
    waiting = check_values("lags", lags, amounts.size)
    capacity = check_number("rate_cap", rate_cap, at_least=_LEAST_CAPACITY)
    room = check_number("lag_cap", lag_cap, at_least=0.0)
    placed = _least_loaded(amounts, waiting, capacity, room, strict)
    upper = int(placed.max()) + 1
    search = exact_packing.create(amounts.size)
    most = ENOUGH if amounts.size <= EXACT else effort.steps
    least = exact_packing.improve(search, amounts, waiting, capacity, room, strict, upper, most)
    if least < upper:
        placed, upper = search.bins.astype(np.int32), least
    lower = int(search.proved[0])
    if lower == upper or amounts.size <= EXACT:
        return Bound(float(lower), float(upper), SEARCH, placed)
    return _modelled(search, Bound(float(lower), float(upper), SEARCH, placed), effort)


def _least_loaded(
    rates: Floats, lags: Floats, rate_cap: float, lag_cap: float, strict: bool
) -> Ints:
    """Bin of each partition, numbered without gaps, in the least-loaded packing."""
    work = least_loaded.create(rates.size, 1)
    least_loaded.fill(work, rates, lags, rate_cap, lag_cap, 1, strict)
    return np.unique(work.bins, return_inverse=True)[1].astype(np.int32)


def _modelled(search: Search, bound: Bound, effort: Effort) -> Bound:
    """The bound after the integer program of fewer replicas, where that is of use."""
    lower, n = int(bound.lower), int(bound.upper) - 1
    # Partitions without rate and lag are last, and fit anywhere.
    count = int(np.count_nonzero(search.rest_rates[:-1] + search.rest_lags[:-1]))
    cells = np.array([(i, j) for i in range(count) for j in range(min(i + 1, n))])
    solution = solver.solve(_program(search, cells, lower, n), Budget(effort), whole=True)
    if solution.least == math.inf:
        return bound._replace(lower=bound.upper, method=MODEL)
    packed = None if solution.values is None else _packed(search, cells, solution.values)
    upper, assignment = bound.upper, bound.assignment
    if packed is not None:
        upper, assignment = float(packed.max() + 1), packed
    least = lower + math.ceil(max(solution.least, 0.0) - EQUAL)
    if least == lower and packed is None:
        return bound
    return narrowed(min(float(least), upper), upper, MODEL, assignment)


def _program(search: Search, cells: Longs, lower: int, n: int) -> solver.Program:
    """Minimise the replicas beyond `lower` that are used, of n.

    Columns: whether a partition is in a replica, for each cell; whether a replica is used. Rows:
    partitions; rates and lags of replicas, in shares of what one may have; replicas in order.
    """
    partitions, replicas = cells.T
    count, further = int(partitions[-1]) + 1, n - lower
    column, used = np.arange(len(cells)), np.arange(further)
    matrix = np.zeros((count + 2 * n + max(further - 1, 0), len(cells) + further))
    matrix[partitions, column] = 1.0
    for kind, amounts in enumerate((search.rates, search.lags)):
        room, first = max(int(search.rooms[kind]), 1), count + kind * n
        matrix[first + replicas, column] = np.minimum(amounts[partitions], room) / room
        matrix[first + lower + used, len(cells) + used] = -1.0
    matrix[count + 2 * n + used[:-1], len(cells) + used[:-1]] = -1.0
    matrix[count + 2 * n + used[:-1], len(cells) + used[1:]] = 1.0
    high = np.zeros(len(matrix))
    high[:count] = 1.0
    high[count : count + 2 * n] = np.tile(np.arange(n) < lower, 2)
    low = np.full(high.size, -np.inf)
    low[:count] = 1.0
    costs = np.append(np.zeros(len(cells)), np.ones(further))
    return solver.Program(costs, csc_array(matrix), low, high, 1.0)


def _packed(search: Search, cells: Longs, values: Floats) -> Ints | None:
    """The assignment that a solution stands for; None if it is too full by rounding."""
    partitions, replicas = cells[values[: len(cells)] > 0.5].T
    count = int(cells[-1, 0]) + 1
    if not np.array_equal(partitions, np.arange(count)):
        return None
    numbers = np.unique(replicas, return_inverse=True)[1]
    for amounts, room in zip((search.rates, search.lags), search.rooms, strict=True):
        totals = np.zeros(count, np.int64)
        np.add.at(totals, numbers, amounts[:count])
        if (totals > room).any():
            return None
    assignment = np.zeros(search.order.size, np.int32)
    assignment[search.order[:count]] = numbers
    return assignment
