"""What is drawn in a plainly simulated group."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from algorithms.core import keyed_draws
from algorithms.core.seeds import derive_seed
from tests.algorithms.simulation.plain_settings import Exact

HEARTBEAT, PHASE, PLACE, LEAVE, START = 2, 3, 4, 5, 6
"""Kinds of draws."""


class PlainHistory:
    """Draws of a history: who is where in the order, who leaves, when members learn and commit."""

    def __init__(self, seed: int, draw: int, static: bool) -> None:
        self.seed = derive_seed(seed, "history", str(draw)) if draw else seed
        self.shuffled = draw > 0 and not static
        self.joins = 0
        self.keys: dict[int, Exact] = {}

    def unit(self, kind: int, row: int, column: int) -> Exact:
        cell = np.uint64(keyed_draws.key(self.seed, kind, row, column))
        return Fraction(keyed_draws.unit(cell))

    def enrol(self, member: int) -> None:
        if self.shuffled:
            self.keys[member] = self.unit(PLACE, self.joins, member)
            self.joins += 1

    def order(self, members: list[int]) -> list[int]:
        if not self.shuffled:
            return members
        return sorted(members, key=lambda m: -self.keys[m])
