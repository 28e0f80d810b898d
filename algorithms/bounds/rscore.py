"""The least Rscore that a number of consumers allows, after a given assignment."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linear_sum_assignment

from algorithms.bounds import kept_speed, volume
from algorithms.bounds.consumers import fewest
from algorithms.bounds.effort import Budget, Effort
from algorithms.bounds.kept_problem import NO_HOME, Kept, kept, names_of
from algorithms.bounds.result import EQUAL, INFEASIBLE, PATTERNS, RETENTION, Bound, narrowed
from algorithms.core.arrays import (
    Bools,
    Floats,
    Ints,
    check_capacity,
    check_consumers,
    check_count,
    check_rates,
    check_same_shape,
)
from algorithms.scores import assignment_scores

MOST = 400
"""Partitions up to which a model is built; above, one bound would take minutes."""


def least_rscore(
    speeds: Floats,
    capacity: float,
    before: Ints,
    consumers: int,
    effort: Effort,
    incumbent: Ints | None = None,
) -> Bound:
    """Bound the Rscore of one iteration with at most some number of consumers.

    speeds: float64[P], write speeds in bytes/s, NaN = absent.
    capacity: Packing capacity C, bytes/s.
    before: int32[P], consumers of the iteration before, -1 = absent then.
    consumers: Most consumers that may be used.
    Returns: the interval in units of C, and an assignment with `upper`. Infinite, with method
        `INFEASIBLE`, if no assignment has so few consumers.

    The last argument, int32[P], starts the search, such as an algorithm's own assignment. It is
    used if it is valid and has no more consumers; otherwise one is searched for.

    The model maximises the speed that partitions keep at their consumers. Old consumers differ in
    what they could keep, new ones do not, so the model has patterns for each old consumer and for a
    new one. For any prices of the partitions, an upper bound of what is kept is the sum of the
    greatest gains of patterns, over the `consumers` best of the consumers, less all prices
    (Lagrangian relaxation; Barnhart et al., "Branch-and-price", Operations Research 46, 1998).
    Column generation searches for the best prices. As in `fewest_consumers`, an integer program
    over good patterns yields assignments, and one over all patterns whose reduced cost allows it
    decides, if these are few enough.

    A round is O(P G H) for H old consumers, with G units of the grid and P G H about 4 10^7.

    Consumer 0 (8 + 3) is overloaded, and the 3 migrates.

    >>> from algorithms.bounds.effort import effort
    >>> before = np.array([0, 0, 1], dtype=np.int32)
    >>> least_rscore(np.array([8.0, 3.0, 6.0]), 10.0, before, 2, effort(1.0)).upper
    0.3
    """
    rates = check_rates(np.atleast_2d(speeds))
    ids = check_consumers(np.atleast_2d(before))
    check_same_shape(rates, ids)
    capacity = check_capacity(capacity)
    consumers = check_count("consumers", consumers, 0, rates.shape[1])
    case = _Case(rates[0], capacity, ids[0], consumers, Budget(effort))
    best = incumbent if incumbent is not None and case.valid(incumbent) else case.packed()
    if best is None and case.impossible:
        return Bound(math.inf, math.inf, INFEASIBLE, None)
    return case.bound(best)


class _Case:
    """One problem; `impossible` is true if no assignment has so few consumers."""

    def __init__(
        self, speeds: Floats, capacity: float, before: Ints, consumers: int, budget: Budget
    ) -> None:
        self._speeds, self._capacity, self._before = speeds, capacity, before
        self._consumers, self._budget = consumers, budget
        self._problem = kept(speeds, capacity, before, consumers)
        self.impossible = volume.l2(speeds, capacity) > consumers

    def valid(self, assignment: Ints) -> bool:
        """Whether an assignment is valid in this iteration and has few enough consumers."""
        violations = assignment_scores.audit(
            self._speeds[np.newaxis], assignment[np.newaxis], self._capacity
        )
        used = np.unique(assignment[assignment >= 0]).size
        return not any(violations) and used <= self._consumers

    def rscore(self, assignment: Ints) -> float:
        """Rscore of an assignment, as in the tables."""
        rates = np.stack([self._speeds, self._speeds])
        both = np.stack([self._before, assignment]).astype(np.int32)
        return float(assignment_scores.rscore(rates, both, self._capacity)[1])

    def packed(self) -> Ints | None:
        """An assignment regardless of the one before, with the ids that keep the most speed."""
        bound = fewest(self._speeds[np.newaxis], self._capacity, self._budget)
        self.impossible = bound.lower > self._consumers
        if bound.assignment is None or bound.upper > self._consumers:
            return None
        return _relabelled(self._speeds, self._before, bound.assignment)

    def bound(self, best: Ints | None) -> Bound:
        """The interval, from an assignment if one is known."""
        upper = math.inf if best is None else self.rscore(best)
        problem = self._problem
        lower = problem.forced + problem.total - kept_speed.most(problem)
        if upper - lower <= EQUAL or best is None or problem.which.size > MOST:
            return narrowed(max(0.0, lower), upper, RETENTION, best)
        start = best[problem.which][np.newaxis] == np.unique(best[problem.which])[:, np.newaxis]
        homes = _homes_of(best, problem, self._before, start)
        retained = kept_speed.by_patterns(problem, start, homes, self._budget)
        modelled = problem.forced + problem.total - retained.most
        if retained.patterns is not None:
            other = self._written(retained.patterns, retained.homes)
            if self.valid(other) and self.rscore(other) < upper:
                best, upper = other, self.rscore(other)
        method = PATTERNS if modelled > lower + EQUAL else RETENTION
        return narrowed(min(upper, max(0.0, lower, modelled)), upper, method, best)

    def _written(self, patterns: Bools, homes: list[int]) -> Ints:
        """Consumer of each partition; new consumers get the lowest free ids."""
        problem, speeds = self._problem, self._speeds
        assignment = np.full(speeds.size, -1, dtype=np.int32)
        names = names_of(problem, self._before)
        above = np.flatnonzero(speeds > problem.limit * self._capacity)
        for j in above[np.argsort(-speeds[above], kind="stable")]:
            if self._before[j] >= 0 and self._before[j] not in assignment:
                assignment[j] = self._before[j]
        used = {*assignment.tolist(), *(int(names[h]) for h in homes if h != NO_HOME)}
        free = iter([c for c in range(speeds.size) if c not in used])
        for row, home in zip(patterns, homes, strict=True):
            assignment[problem.which[row]] = names[home] if home != NO_HOME else next(free)
        for j in above[assignment[above] < 0]:
            assignment[j] = next(free)
        still = np.flatnonzero(speeds == 0.0)
        if still.size:
            shared = assignment[problem.which]
            assignment[still] = shared[0] if shared.size else next(free)
        return assignment


def _relabelled(speeds: Floats, before: Ints, assignment: Ints) -> Ints:
    """Rename an assignment's consumers so that most speed stays at home."""
    both = (before >= 0) & (assignment >= 0)
    gains = np.zeros((assignment.max() + 1, max(speeds.size, before.max() + 1)))
    np.add.at(gains, (assignment[both], before[both]), speeds[both])
    groups, names = linear_sum_assignment(-gains)
    renamed = np.full(gains.shape[0], -1, dtype=np.int32)
    renamed[groups] = names
    return np.where(assignment >= 0, renamed[assignment], -1).astype(np.int32)


def _homes_of(best: Ints, problem: Kept, before: Ints, start: Bools) -> list[int]:
    """The old consumer that each pattern of an assignment belongs to, `NO_HOME` for a new one."""
    places = {int(name): home for home, name in enumerate(names_of(problem, before))}
    ids = [int(best[problem.which[row]][0]) for row in start]
    return [places.get(name, NO_HOME) for name in ids]
