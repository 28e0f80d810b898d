"""A registered algorithm, as a live controller calls it: one step per decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from algorithms.assignment import Observation, registry


class LiveStrategy:
    """An algorithm and its state, which is started when it first decides.

    Stepping a stream gives the owners that the algorithm assigns in the simulation, bit for bit.

    capacity: Packing capacity C, bytes/s.
    """

    def __init__(self, name: str, partitions: int, capacity: float, seed: int) -> None:
        self._algorithm = registry.get(name)
        self._start = partial(self._algorithm.start, partitions, capacity, seed)
        self._state: Any = None

    def decide(self, rates: Sequence[float]) -> list[int]:
        """Owner of each partition, -1 where the rate is NaN: the partition is absent."""
        if self._state is None:
            # Loading its compiled kernel takes a second: a controller that takes over has more
            # urgent things to do first.
            self._state = self._start()
        decision = self._algorithm.step(self._state, Observation(rates=np.array(rates)))
        return [] if decision.owners is None else [int(owner) for owner in decision.owners]


def rscore(
    rates: Sequence[float], before: Sequence[int], after: Sequence[int], capacity: float
) -> float:
    """Rate of the partitions that change their consumer, in consumers: Rscore of one iteration."""
    moved = (
        rate
        for rate, old, new in zip(rates, before, after, strict=True)
        if old not in (-1, new) and new != -1 and not math.isnan(rate)
    )
    return sum(moved) / capacity
