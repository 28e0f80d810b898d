"""The most speed that partitions can keep at their consumers: bounds and assignments."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack, vstack

from algorithms.bounds import knapsack, sizes, solver
from algorithms.bounds.effort import CELL, MOST_COLUMNS, PATTERN, RESERVE, STEP, Budget
from algorithms.bounds.kept_problem import NO_HOME, Kept
from algorithms.bounds.result import EQUAL
from algorithms.core.arrays import Bools, Floats, Longs

_CELLS = 40_000_000
_FINEST, _COARSEST = 20_000, 500


class Retained(NamedTuple):
    """Bound of the most that can be kept, and the best assignment found."""

    most: float
    """No assignment keeps more."""
    patterns: Bools | None
    """bool[m, n]: the assignment found that keeps the most, a row per consumer."""
    homes: list[int]
    """The old consumer of each row, `NO_HOME` for a new one."""


def _grid(problem: Kept) -> sizes.Grid:
    """Sizes in units, as fine as the tables of all old consumers and a new one allow."""
    finest = _CELLS // max(1, problem.sizes.size * (problem.n_homes + 1))
    return sizes.grid(problem.sizes, 1.0, min(_FINEST, max(_COARSEST, finest)))


class _Pricing:
    """Best patterns of each old consumer, and of a new one, at given prices."""

    def __init__(self, problem: Kept) -> None:
        self.problem, self.gains = problem, problem.gains
        self.units, self.room = _grid(problem)
        self.table = np.empty((problem.sizes.size + 1, self.room + 1))

    @property
    def cost(self) -> float:
        """Work of one table for each old consumer and for a new one."""
        return CELL * self.table.size * (self.problem.n_homes + 1)

    def values(self, prices: Floats, home: int) -> Floats:
        """Value that each partition adds to a consumer's pattern."""
        return prices if home == NO_HOME else prices + self.gains[home]

    def best(self, prices: Floats) -> tuple[Floats, Bools]:
        """Values of the best pattern of each old consumer and, last, of a new one; the patterns."""
        n_homes, n = self.problem.n_homes, self.units.size
        values, patterns = np.empty(n_homes + 1), np.zeros((n_homes + 1, n), dtype=np.bool_)
        for home in (*range(n_homes), NO_HOME):
            self.fill(prices, home)
            values[home] = self.table[0, self.room]
            knapsack.trace(self.units, self.room, -1, self.table, patterns[home])
        return values, patterns

    def with_each(self) -> Bools:
        """A good pattern of a new consumer with each of the partitions, after `best`."""
        n = self.units.size
        patterns = np.zeros((n, n), dtype=np.bool_)
        for k in range(n):
            room = self.room - int(self.units[k])
            knapsack.trace(self.units, room, k, self.table, patterns[k])
            patterns[k, k] = True
        return patterns

    def fill(self, prices: Floats, home: int) -> None:
        """Fill the table of a consumer."""
        knapsack.fill(self.values(prices, home), self.units, self.room, self.table)


class _Columns:
    """Different patterns with their consumers, in the order of insertion.

    There are at most `MOST_COLUMNS`; `full` is true once one was rejected.
    """

    def __init__(self, problem: Kept) -> None:
        self._problem = problem
        self._known: set[tuple[int, bytes]] = set()
        self._members: list[Longs] = []
        self._gains: list[float] = []
        self.patterns: list[Bools] = []
        self.homes: list[int] = []
        self.full = False

    def add(self, pattern: Bools, home: int) -> bool:
        """Add a pattern unless it is known; one that keeps nothing belongs to a new consumer."""
        members = np.flatnonzero(pattern)
        stays = members[self._problem.homes[members] == home] if home != NO_HOME else members[:0]
        home = home if stays.size else NO_HOME
        key = (home, members.tobytes())
        if key in self._known:
            return False
        self.full = self.full or len(self.patterns) == MOST_COLUMNS
        if self.full:
            return False
        self._known.add(key)
        self._members.append(members)
        self._gains.append(float(self._problem.sizes[stays].sum()))
        self.patterns.append(pattern)
        self.homes.append(home)
        return True

    @property
    def gains(self) -> Floats:
        """Speed that each pattern keeps at its consumer."""
        return np.array(self._gains)

    @property
    def rows(self) -> csr_array:
        """``[m, n]``, 1 where a partition is in a pattern."""
        ends = np.cumsum([0, *(row.size for row in self._members)])
        which = np.concatenate([*self._members, np.empty(0, dtype=np.int64)])
        shape = (len(self.patterns), self._problem.sizes.size)
        return csr_array((np.ones(which.size), which, ends), shape=shape)

    @property
    def owners(self) -> csr_array:
        """``[m, n_homes]``, 1 where a pattern is an old consumer's."""
        homes = np.array(self.homes, dtype=np.int64)
        owned = np.flatnonzero(homes != NO_HOME)
        shape = (homes.size, self._problem.n_homes)
        return csr_array((np.ones(owned.size), (owned, homes[owned])), shape=shape)


def most(problem: Kept) -> float:
    """Upper bound of what can be kept, each consumer separately, without new ones.

    Without prices, only the partitions that a consumer had before add value to its pattern. So each
    consumer needs only a table of its own members, one row of it at a time, and none if they fit
    anyway.
    """
    if not problem.sizes.size or not problem.n_homes:
        return 0.0
    units, room = _grid(problem)
    order = np.argsort(problem.homes, kind="stable")
    starts = np.searchsorted(problem.homes[order], np.arange(problem.n_homes + 1))
    values = np.zeros(problem.n_homes + 1)
    knapsack.each(problem.sizes[order], units[order], starts, room, values)
    return _bound(values, np.zeros(0), problem.room)[0]


def by_patterns(problem: Kept, start: Bools, homes: list[int], budget: Budget) -> Retained:
    """Bound what can be kept by column generation, and look for an assignment that keeps it.

    problem: The problem; its `room` is enough for ``start``.
    start, homes: An assignment, a row per consumer, and the old consumers that the rows belong to.
    budget: Charged for the work.
    """
    pricing, columns = _Pricing(problem), _Columns(problem)
    for row, home in zip(start, homes, strict=True):
        columns.add(row, home)
    incumbent = float(columns.gains.sum())
    relaxed = _relax(pricing, columns, incumbent, budget)
    if relaxed is None:
        return Retained(math.inf, None, [])
    retained = Retained(relaxed.most, None, [])
    if relaxed.most - incumbent > EQUAL:
        retained, incumbent = _improved(
            problem, _repaired(pricing, columns), retained, incumbent, budget
        )
    if relaxed.most - incumbent > EQUAL:
        every = _all_columns(pricing, relaxed, incumbent, budget)
        if every is not None:
            retained, incumbent = _improved(
                problem, every, retained, incumbent, budget, complete=True
            )
    return retained


class _Relaxed(NamedTuple):
    prices: Floats
    most: float
    values: Floats
    cost: float


def _bound(values: Floats, prices: Floats, room: int) -> tuple[float, float]:
    """Upper bound at given prices, and the price of a consumer that belongs to it.

    Uses the best of the old consumers, and new ones wherever these are better.
    """
    new = float(values[-1])
    chosen = np.sort(values[:-1])[::-1][:room]
    chosen = np.maximum(chosen, new)
    rest = max(0, room - chosen.size) * new
    cost = new if room > values.size - 1 else float(chosen[-1]) if chosen.size else 0.0
    return math.fsum([*chosen, rest, *(-prices)]), max(cost, new)


def _relax(
    pricing: _Pricing, columns: _Columns, incumbent: float, budget: Budget
) -> _Relaxed | None:
    """Column generation; unknowns are prices of partitions, of old and of any consumers."""
    problem = pricing.problem
    n, room = problem.sizes.size, problem.room
    best: _Relaxed | None = None
    for number in range(budget.effort.rounds + 1):
        if not budget.takes(pricing.cost + PATTERN * (n + problem.n_homes), RESERVE):
            break
        prices, owners, cost = np.zeros(n), np.zeros(problem.n_homes), 0.0
        if number:
            solution = solver.solve(_dual(problem, columns), budget, whole=False, reserve=RESERVE)
            if solution.values is None:
                break
            prices, cost = np.maximum(solution.values[:n], 0.0), float(solution.values[-1])
            owners = solution.values[n:-1]
        values, patterns = pricing.best(prices)
        bound, price = _bound(values, prices, room)
        if best is None or bound < best.most:
            best = _Relaxed(prices, bound, values, price)
        if best.most - incumbent <= EQUAL:
            break
        dear = values[:-1] > cost + owners + EQUAL
        new = [columns.add(patterns[home], int(home)) for home in np.flatnonzero(dear)]
        rows = pricing.with_each()
        dear = rows @ prices > cost + EQUAL
        new += [columns.add(row, NO_HOME) for row in rows[dear]]
        if values[-1] > cost + EQUAL:
            new.append(columns.add(patterns[-1], NO_HOME))
        if columns.full or (number and not any(new)):
            break
    return best


def _dual(problem: Kept, columns: _Columns) -> solver.Program:
    rows, m = columns.rows, len(columns.patterns)
    matrix = csc_array(hstack([-rows, columns.owners, csr_array(np.ones((m, 1)))]))
    costs = np.concatenate([-np.ones(problem.sizes.size), np.ones(problem.n_homes), [problem.room]])
    return solver.Program(costs, matrix, columns.gains, np.full(m, np.inf), np.inf)


def _repaired(pricing: _Pricing, columns: _Columns) -> _Columns:
    """The same patterns, adjusted to true sizes, partitions at home first."""
    problem, fitting = pricing.problem, _Columns(pricing.problem)
    for row, home in zip(columns.patterns, columns.homes, strict=True):
        order = np.argsort(problem.homes != home, kind="stable")
        fitting.add(sizes.repaired(row, order, problem.sizes, problem.limit), home)
    return fitting


def _improved(
    problem: Kept,
    columns: _Columns,
    retained: Retained,
    incumbent: float,
    budget: Budget,
    complete: bool = False,
) -> tuple[Retained, float]:
    """The best assignment of some patterns, if it is better than the best one known.

    complete: Whether every better assignment consists of these patterns alone.
    """
    rows = columns.rows
    if np.unique(rows.indices).size < problem.sizes.size:
        return (
            retained._replace(most=min(retained.most, incumbent)) if complete else retained
        ), incumbent
    n, m = problem.sizes.size, len(columns.patterns)
    matrix = csc_array(vstack([rows.T, columns.owners.T, csr_array(np.ones((1, m)))]))
    low = np.concatenate([np.ones(n), np.full(problem.n_homes + 1, -np.inf)])
    high = np.concatenate([np.full(n, np.inf), np.ones(problem.n_homes), [problem.room]])
    outcome = solver.solve(solver.Program(-columns.gains, matrix, low, high, 1.0), budget, True)
    if complete:
        retained = retained._replace(most=min(retained.most, max(incumbent, -outcome.least)))
    if outcome.values is None:
        return retained, incumbent
    used = np.flatnonzero(outcome.values > 0.5)
    if used.size > problem.room:  # the answer of the solver is invalid
        return retained, incumbent
    homes = [columns.homes[i] for i in used]
    patterns = _once(problem, [columns.patterns[i] for i in used], homes)
    keeps = _keeps(problem, patterns, homes)
    if keeps <= incumbent or not patterns.any(axis=0).all():
        return retained, incumbent
    return Retained(retained.most, patterns, homes), keeps


def _once(problem: Kept, patterns: list[Bools], homes: list[int]) -> Bools:
    """The patterns with each partition once, at home if one of them is its home."""
    rows = np.array(patterns)
    place = np.argmax(rows, axis=0)
    for row, home in enumerate(homes):
        if home != NO_HOME:
            place[rows[row] & (problem.homes == home)] = row
    return np.asarray(rows & (place == np.arange(len(rows))[:, np.newaxis]))


def _keeps(problem: Kept, patterns: Bools, homes: list[int]) -> float:
    stays = patterns & (problem.homes == np.array(homes)[:, np.newaxis])
    stays &= problem.homes != NO_HOME
    return math.fsum(problem.sizes[stays.any(axis=0)])


def _all_columns(
    pricing: _Pricing, relaxed: _Relaxed, incumbent: float, budget: Budget
) -> _Columns | None:
    """All patterns that a better assignment could have; None if there are too many."""
    problem, n = pricing.problem, pricing.units.size
    if not budget.takes(pricing.cost):
        return None
    slack = relaxed.most - incumbent + EQUAL
    columns, steps = _Columns(problem), budget.steps()
    buffer = np.zeros((budget.effort.columns, n), dtype=np.bool_)
    for home in (*range(problem.n_homes), NO_HOME):
        least = max(relaxed.cost, float(relaxed.values[home])) - slack
        order = _home_first(problem, home)
        first = int(np.count_nonzero(problem.homes == home)) if home != NO_HOME else 0
        values, units = pricing.values(relaxed.prices, home)[order], pricing.units[order]
        knapsack.fill(values, units, pricing.room, pricing.table)
        room = budget.effort.columns - len(columns.patterns)
        count, taken = knapsack.search(
            values, units, pricing.room, pricing.table, problem.sizes[order], problem.limit,
            np.zeros(n, dtype=np.bool_), first, least, steps, buffer[:room],
        )  # fmt: skip
        steps -= taken
        budget.left -= STEP * taken
        if count < 0:
            return None
        back = np.argsort(order)
        for row in buffer[:count]:
            columns.add(row[back], home)
    return None if columns.full else columns


def _home_first(problem: Kept, home: int) -> Longs:
    """Partitions of a consumer before all others, each largest first."""
    return np.argsort(problem.homes != home, kind="stable")
