"""The fewest consumers that one iteration needs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from algorithms.assignment import registry
from algorithms.bounds import knapsack, sizes, solver, volume
from algorithms.bounds.effort import CELL, MOST_COLUMNS, PATTERN, RESERVE, STEP, Budget, Effort
from algorithms.bounds.result import EQUAL, L2, PATTERNS, Bound, narrowed
from algorithms.core.arrays import Bools, Floats, Ints, Longs, check_capacity, check_rates

MOST = 1000
"""Partitions up to which a model is built; above, its tables would not fit a processor's cache."""

_CELLS = 2_000_000
_FINEST = 20_000
_HEURISTICS = ("BFD", "MBF")


class _Items(NamedTuple):
    """Partitions that share consumers, largest first; all arrays have one entry for each."""

    sizes: Floats
    units: Longs
    room: int
    limit: float
    kinds: Longs
    """Index of the partition's size among all different sizes (in units)."""
    demand: Longs
    """Partitions of each kind."""


def fewest_consumers(speeds: Floats, capacity: float, effort: Effort) -> Bound:
    """Bound the consumers that one iteration needs, whatever the assignment before.

    speeds: float64[P], write speeds in bytes/s, NaN = absent.
    capacity: Packing capacity C, bytes/s.
    Returns: the interval, and an assignment with `upper` consumers. Both ends are integers.

    Upper bounds are best fit decreasing and the solutions of the model. The first lower bound is
    `l2`. Where they differ, the linear relaxation of the pattern model (Gilmore and Gomory,
    Operations Research 9, 1961) is bounded by column generation: for any prices of the partitions,
    their sum divided by the price of the most expensive pattern is a lower bound (Farley,
    Operations Research 38, 1990). Patterns are priced on sizes that are rounded down to a grid, so
    the bound holds for the true sizes. Integers up to the size of the grid are not rounded. Where
    bounds still differ, all patterns that an assignment with one consumer less could have are
    listed, by their reduced costs, and HiGHS decides on them.

    A round is O(P G), with G units of the grid and P G about 2 10^6, plus a linear program whose
    cost grows with the patterns found so far. All work is charged to one `Budget`.

    >>> from algorithms.bounds.effort import effort
    >>> found = fewest_consumers(np.array([4.0, 4.0, 3.0, 3.0, 3.0, 3.0]), 10.0, effort(1.0))
    >>> found.lower, found.upper, found.proved
    (2.0, 2.0, True)
    """
    rates = check_rates(np.atleast_2d(speeds))
    return fewest(rates, check_capacity(capacity), Budget(effort))


def fewest(rates: Floats, capacity: float, budget: Budget) -> Bound:
    """`fewest_consumers` of ``float64[1, P]``, within the rest of a budget."""
    lower, best = volume.l2(rates[0], capacity), _packed(rates, capacity)
    upper = _count(best)
    limit = sizes.limit_of(capacity)
    shared = np.flatnonzero((rates[0] > 0.0) & (rates[0] <= limit))
    if lower == upper or shared.size > MOST:
        return Bound(float(lower), float(upper), L2, best)
    alone = int(np.count_nonzero(rates[0] > limit))
    order = shared[np.argsort(-rates[0][shared], kind="stable")]
    items = _items(rates[0][order], capacity, limit)
    least, packing = _model(items, lower - alone, upper - alone, _groups(best[order]), budget)
    if packing is not None:
        best = _written(rates[0], order, packing)
        upper = _count(best)
    method = PATTERNS if least + alone > lower else L2
    return narrowed(float(max(lower, least + alone)), float(upper), method, best)


def _packed(rates: Floats, capacity: float) -> Ints:
    """The assignment of some heuristics that has the fewest consumers."""
    assignments = [registry.get(name).assign(rates, capacity, 0)[0] for name in _HEURISTICS]
    return min(assignments, key=_count)


def _count(consumers: Ints) -> int:
    return int(np.unique(consumers[consumers >= 0]).size)


def _groups(consumers: Ints) -> Bools:
    """Which partitions each consumer has: a pattern per row."""
    return np.asarray(consumers == np.unique(consumers)[:, np.newaxis])


def _items(ordered: Floats, capacity: float, limit: float) -> _Items:
    units, room = sizes.grid(ordered, capacity, min(_FINEST, _CELLS // ordered.size))
    # Units descend as sizes do. Equal units of different sizes are different kinds.
    new = np.append(True, ordered[1:] != ordered[:-1])
    kinds = np.cumsum(new) - 1
    return _Items(ordered, units, room, limit, kinds, np.bincount(kinds))


def _model(
    items: _Items, lower: int, upper: int, start: Bools, budget: Budget
) -> tuple[int, Bools | None]:
    """Lower bound by the pattern model, and a packing of fewer patterns than `upper` if found."""
    relaxed = _relax(items, lower, upper, start, budget)
    least = max(lower, relaxed.least)
    packing = None
    if least < upper:
        packing = _chosen(items, _fitting(items, relaxed.patterns), budget).packing
        if packing is not None and len(packing) < upper:
            upper = len(packing)
        else:
            packing = None
    if least < upper:
        decided = _decide(items, relaxed, upper, budget)
        if decided.packing is not None and len(decided.packing) < upper:
            packing, upper = decided.packing, len(decided.packing)
        least = max(least, min(upper, decided.least))
    return least, packing


class _Relaxed(NamedTuple):
    """Prices at which no pattern costs more than 1, their sum rounded up, and good patterns."""

    prices: Floats
    least: int
    patterns: Bools


def _relax(items: _Items, lower: int, upper: int, start: Bools, budget: Budget) -> _Relaxed:
    """Column generation on the dual program, whose unknowns are the prices."""
    n = items.sizes.size
    table = np.empty((n + 1, items.room + 1))
    patterns = _Patterns(items.kinds)
    patterns.add(start)
    best = _Relaxed(np.zeros(n), lower, start)
    highest = 0.0
    for _ in range(budget.effort.rounds):
        if not budget.takes(_round_cost(items), RESERVE):
            break
        solution = solver.solve(_dual(items, patterns), budget, whole=False, reserve=RESERVE)
        if solution.values is None:
            break
        prices = np.maximum(solution.values, 0.0)[items.kinds]
        knapsack.fill(prices, items.units, items.room, table)
        dearest = max(1.0, float(table[0, items.room]))
        bound = math.fsum(prices) / dearest
        if bound > highest:
            highest = bound
            best = best._replace(
                prices=prices / dearest, least=max(lower, math.ceil(bound - EQUAL))
            )
        if dearest <= 1.0 + EQUAL or best.least >= upper:
            break
        if not patterns.add(_priced(prices, items, table)):
            break
    return best._replace(patterns=patterns.all)


def _round_cost(items: _Items) -> float:
    """Work of one round without its linear program: the table, and a pattern per partition."""
    n = items.sizes.size
    return CELL * (n + 1) * (items.room + 1) + PATTERN * n


def _dual(items: _Items, patterns: _Patterns) -> solver.Program:
    m = len(patterns)
    costs = -items.demand.astype(np.float64)
    return solver.Program(costs, csc_array(patterns.counts), np.full(m, -np.inf), np.ones(m), 1.0)


class _Patterns:
    """Different patterns in the order of insertion, at most `MOST_COLUMNS`."""

    def __init__(self, kinds: Longs) -> None:
        self._kinds = kinds
        self._known: set[bytes] = set()
        self._rows: list[Bools] = []
        self._counts: list[tuple[Longs, Longs]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, rows: Bools) -> int:
        """Add those that are new; return their number."""
        before = len(self._rows)
        for row in rows[: max(0, MOST_COLUMNS - before)]:
            kinds = self._kinds[row]
            # Kinds ascend, so that equal patterns have equal keys.
            key = kinds.tobytes()
            if key not in self._known:
                self._known.add(key)
                self._rows.append(row)
                self._counts.append(np.unique(kinds, return_counts=True))
        return len(self._rows) - before

    @property
    def all(self) -> Bools:
        return np.array(self._rows)

    @property
    def counts(self) -> csr_array:
        """Partitions of each kind in each pattern."""
        ends = np.cumsum([0, *(len(kinds) for kinds, _ in self._counts)])
        kinds = np.concatenate([kinds for kinds, _ in self._counts])
        times = np.concatenate([times for _, times in self._counts]).astype(np.float64)
        return csr_array((times, kinds, ends), shape=(len(self), int(self._kinds[-1]) + 1))


def _priced(prices: Floats, items: _Items, table: Floats) -> Bools:
    """The most expensive pattern, and an expensive one with each of the partitions."""
    n = items.sizes.size
    patterns = np.zeros((n + 1, n), dtype=np.bool_)
    knapsack.trace(items.units, items.room, -1, table, patterns[n])
    for k in range(n):
        knapsack.trace(items.units, items.room - int(items.units[k]), k, table, patterns[k])
        patterns[k, k] = True
    dear = patterns @ prices > 1.0 + EQUAL
    return patterns[dear]


def _fitting(items: _Items, patterns: Bools) -> Bools:
    """The given patterns, changed as little as possible so that their true sizes fit."""
    order = np.arange(items.sizes.size)
    return np.array([sizes.repaired(row, order, items.sizes, items.limit) for row in patterns])


class _Chosen(NamedTuple):
    """Patterns that together have every partition, and a lower bound of their number."""

    packing: Bools | None
    least: int


def _chosen(items: _Items, patterns: Bools, budget: Budget) -> _Chosen:
    """The fewest of some patterns that have every partition."""
    kept = _Patterns(items.kinds)
    kept.add(patterns)
    counts = csc_array(kept.counts.T)
    demand = items.demand.astype(np.float64)
    program = solver.Program(
        np.ones(counts.shape[1]), counts, demand, np.full(demand.size, np.inf), float(demand.max())
    )
    solution = solver.solve(program, budget, whole=True)
    least = math.ceil(solution.least - EQUAL) if math.isfinite(solution.least) else 0
    if solution.values is None:
        return _Chosen(None, least)
    times = np.rint(np.clip(solution.values, 0.0, program.most)).astype(np.int64)
    if times.sum() > items.sizes.size:  # the answer of the solver is invalid
        return _Chosen(None, least)
    return _Chosen(_placed(items, np.repeat(kept.all, times, axis=0)), least)


def _placed(items: _Items, patterns: Bools) -> Bools | None:
    """Give each partition to one pattern that has its kind; None if a partition is left over."""
    packing = np.zeros_like(patterns)
    free = [list(np.flatnonzero(items.kinds == kind)) for kind in range(items.demand.size)]
    for row, pattern in zip(packing, patterns, strict=True):
        for kind in items.kinds[pattern]:
            if free[kind]:
                row[free[kind].pop()] = True
    if any(free) or (packing @ items.sizes > items.limit).any():
        return None
    return packing[packing.any(axis=1)]


def _decide(items: _Items, relaxed: _Relaxed, upper: int, budget: Budget) -> _Chosen:
    """Whether fewer than ``upper`` consumers are enough, by all patterns that they could have."""
    slack = upper - 1 - math.fsum(relaxed.prices)
    n = items.sizes.size
    if not budget.takes(CELL * (n + 1) * (items.room + 1)):
        return _Chosen(None, 0)
    table = np.empty((n + 1, items.room + 1))
    knapsack.fill(relaxed.prices, items.units, items.room, table)
    buffer = np.zeros((budget.effort.columns, n), dtype=np.bool_)
    repeats = np.append(False, items.kinds[1:] == items.kinds[:-1])
    count, taken = knapsack.search(
        relaxed.prices, items.units, items.room, table, items.sizes, items.limit, repeats, 0,
        1.0 - slack - EQUAL, budget.steps(), buffer,
    )  # fmt: skip
    budget.left -= STEP * taken
    if count < 0:
        return _Chosen(None, 0)
    patterns = buffer[:count]
    if np.unique(items.kinds[patterns.any(axis=0)]).size < items.demand.size:
        # Some partition is in no such pattern, so there is no such assignment.
        return _Chosen(None, upper)
    return _chosen(items, patterns, budget)


def _written(speeds: Floats, order: Longs, packing: Bools) -> Ints:
    """Consumer of each partition; those that share with no other get one each."""
    consumers = np.full(speeds.size, -1, dtype=np.int32)
    for consumer, row in enumerate(packing):
        consumers[order[row]] = consumer
    rest = np.flatnonzero((consumers < 0) & (speeds > 0.0))
    consumers[rest] = len(packing) + np.arange(rest.size)
    consumers[speeds == 0.0] = 0
    return consumers
