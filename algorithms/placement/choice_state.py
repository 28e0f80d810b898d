"""Partitions that choose brokers, and choices that change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs


class ChoiceProblem(NamedTuple):
    """Partitions that choose brokers."""

    before: Bools
    """bool[B, P]: choices that cost nothing."""
    allowed: Bools
    """bool[B, P]: brokers that a partition may choose."""
    needs: Longs
    """int64[P]: number of brokers that each partition chooses."""
    sizes: Floats
    """float64[P]: where several partitions can move, the smallest does."""
    racks: Longs
    """int64[B]: number of each broker's rack, from 0."""
    limits: Longs
    """int64[P]: choices of a partition in one rack, at most."""


class ChoiceState:
    """Choices of all partitions: those before, as far as allowed, and then what `move` makes.

    problem: Racks and `allowed` must leave each partition enough brokers.
    """

    def __init__(self, problem: ChoiceProblem) -> None:
        self.problem = problem
        self.chosen = problem.before & problem.allowed
        """bool[B, P]"""
        self.counts = self.chosen.sum(axis=1, dtype=np.int64)
        """int64[B]: partitions by broker."""
        self.is_one_rack = not problem.racks.any()
        self._in_rack = np.stack(
            [
                self.chosen[problem.racks == rack].sum(axis=0)
                for rack in range(problem.racks.max() + 1)
            ]
        )
        self._keep_limits()
        self._fill()

    def movers(self, source: int, target: int) -> Longs:
        """Partitions that can move a choice between two brokers, the cheapest first.

        Returns: int64[M], by cost, then by size, then by position.
        """
        before = self.problem.before
        rows = self.chosen[source] & ~self.chosen[target] & self.problem.allowed[target]
        if self.problem.racks[source] != self.problem.racks[target]:
            rows &= self.room(target)
        able = np.flatnonzero(rows)
        cost = before[source, able].astype(np.int64) - before[target, able]
        return able[np.lexsort((self.problem.sizes[able], cost))]

    def fits(self, row: int, source: int, target: int) -> bool:
        """Whether a partition can move a choice between two brokers."""
        is_free = self.problem.allowed[target, row] and not self.chosen[target, row]
        is_inside = self.problem.racks[source] == self.problem.racks[target]
        return bool(self.chosen[source, row] and is_free and (is_inside or self.room(target)[row]))

    def room(self, broker: int) -> Bools:
        """bool[P]: whether a partition may have one more choice in the rack of a broker."""
        has_room: Bools = self._in_rack[self.problem.racks[broker]] < self.problem.limits
        return has_room

    def move(self, row: int, source: int, target: int) -> None:
        """Move a choice of a partition."""
        self._set(row, source, False)
        self._set(row, target, True)

    def _keep_limits(self) -> None:
        """Take away what a rack has too much of a partition."""
        limits = self.problem.limits
        for rack, row in np.argwhere(self._in_rack > limits).tolist():
            while self._in_rack[rack, row] > limits[row]:
                held = np.flatnonzero(self.chosen[:, row] & (self.problem.racks == rack))
                self._set(row, int(held[np.argmax(self.counts[held])]), False)

    def _fill(self) -> None:
        """Choose what is missing, where the counts are smallest."""
        missing = self.problem.needs - self.chosen.sum(axis=0)
        for row in np.repeat(np.arange(missing.size), missing).tolist():
            free = self.problem.allowed[:, row] & ~self.chosen[:, row]
            free &= self._in_rack[self.problem.racks, row] < self.problem.limits[row]
            columns = np.flatnonzero(free)
            self._set(row, int(columns[np.argmin(self.counts[columns])]), True)

    def _set(self, row: int, column: int, value: bool) -> None:
        change = 1 if value else -1
        self.chosen[column, row] = value
        self._in_rack[self.problem.racks[column], row] += change
        self.counts[column] += change
