"""Assignment algorithms on the rates of a topic: what each of them would assign now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from algorithms.assignment import Observation, registry
from algorithms.core.input_errors import AlgorithmError
from live.user_cluster.strategy_line import StrategyLine, values_of
from live.user_cluster.topic_view import TopicView
from pipeline.base.errors import InputError

DEFAULT = ("MWF", "BFD", "SR_1")
"""Algorithms by default: the paper's best, the classic, and sticky repair."""

SEED = 0


class CapacityStrategies:
    """Steps algorithms, each from its own step before.

    capacity: Planned maximum load of one consumer, bytes/s.
    Raises InputError if a name is unknown, or an algorithm does not take the number of partitions.
    """

    def __init__(self, names: Sequence[str], capacity: float, partitions: int) -> None:
        self.partitions = partitions
        self._states: dict[str, Any] = {}
        self._lines = {name: StrategyLine(name) for name in names}
        for name in names:
            try:
                self._states[name] = registry.get(name).start(partitions, capacity, SEED)
            except AlgorithmError as error:
                raise InputError(f"--strategy {name}: {error}") from None

    def step(self, view: TopicView) -> list[StrategyLine]:
        """Take a step on the rates of a view; without rates, there is none."""
        rates = values_of(dict(view.rates), self.partitions)
        if np.isfinite(rates).any():
            for name in self._lines:
                self._step(name, rates)
        return list(self._lines.values())

    def _step(self, name: str, rates: Any) -> None:
        decision = registry.get(name).step(self._states[name], Observation(rates=rates))
        owners = [] if decision.owners is None else [int(owner) for owner in decision.owners]
        used = len(set(owners) - {-1})
        self._lines[name] = self._lines[name].after(owners, used, rates)
