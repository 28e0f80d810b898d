"""What `watch` shows: the view of a topic with the steps of strategies."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Protocol

from algorithms.assignment import registry as algorithms
from algorithms.autoscaling import strategies
from algorithms.core.input_errors import AlgorithmError
from live.user_cluster import capacity_strategies
from live.user_cluster.capacity_strategies import CapacityStrategies
from live.user_cluster.cluster_access import TopicAccess
from live.user_cluster.service_strategies import ServiceStrategies
from live.user_cluster.strategy_line import StrategyLine
from live.user_cluster.topic_view import TopicView
from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable
from pipeline.cli.live.rate_units import byte_rate, rounded_up
from pipeline.cli.live.watch_screen import Screen
from pipeline.reporting.sections import numbers
from pipeline.settings import own_algorithms


class Strategies(Protocol):
    """Strategies that are stepped together."""

    partitions: int

    def step(self, view: TopicView) -> list[StrategyLine]:
        """Take a step, and return their states."""


class Watched:
    """Options of a watch, and the strategies that they make.

    names: Strategies; without any, the default ones.
    capacity, mu: What one consumer may be loaded with, bytes/s, or what it serves, events/s.
    period_s: Time between two steps, seconds.
    Raises InputError if an option is out of bounds, or both `capacity` and `mu` are given.
    """

    def __init__(
        self,
        names: Sequence[str],
        capacity: float | None,
        mu: float | None,
        period_s: float,
        group: str | None,
    ) -> None:
        for option, value in (("--capacity", capacity), ("--mu", mu)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"`{option}` must be finite and above 0 (got {value:g})")
        if capacity is not None and mu is not None:
            raise InputError("give either `--capacity`, bytes/s, or `--mu`, events/s, not both")
        if group is not None and not group:
            raise InputError("`--group` must not be empty")
        _check_names(names, mu is not None)
        self._names, self._capacity, self._mu = tuple(names), capacity, mu
        self._is_guessed = capacity is None and mu is None
        self.period_s, self.group = period_s, group
        self._strategies: Strategies | None = None
        self._where = ""

    def begin(self, to: TopicAccess) -> None:
        """Check the strategies for a topic, before its logs are measured."""
        self._where = f"{to.topic} at {to.bootstrap}"
        self._strategies = self._start(to.partitions, self._capacity or 1.0)
        # The first step on a machine compiles the strategies, which takes minutes at worst.
        still = dict.fromkeys(range(to.partitions), 0.0)
        trial = self._start(to.partitions, self._capacity or 1.0)
        trial.step(TopicView(0.0, to.partitions, still, still))

    def show(self, view: TopicView, screen: Screen) -> None:
        """Let the strategies take a step, and show the outcome."""
        lines = self._step(view)
        screen(view, lines, self._head(), self._notes(view))

    def _step(self, view: TopicView) -> list[StrategyLine]:
        highest = max(view.rates.values(), default=0.0)
        if self._is_guessed and self._capacity is None:
            if not highest:
                return []
            self._capacity = rounded_up(highest)
            self._strategies = None
        if self._strategies is None or self._strategies.partitions != view.partitions:
            self._strategies = self._start(view.partitions, self._capacity or 1.0)
        return self._strategies.step(view)

    def _start(self, partitions: int, capacity: float) -> Strategies:
        if self._mu is not None:
            has_group = self.group is not None
            return ServiceStrategies(self._names, self._mu, partitions, self.period_s, has_group)
        names = self._names or capacity_strategies.DEFAULT
        return CapacityStrategies(names, capacity, partitions)

    def _head(self) -> str:
        group = f", group {self.group}" if self.group else ""
        limit = f", capacity {byte_rate(self._capacity)}" if self._capacity else ""
        served = f", μ {numbers.plain(self._mu)} events/s" if self._mu else ""
        return printable(f"{time.strftime('%H:%M:%S')}  {self._where}{group}{limit}{served}")

    def _notes(self, view: TopicView) -> list[str]:
        notes = []
        if not view.rates:
            notes.append("no rates yet: they are means over 3 s at least, 30 s at most")
        elif self._is_guessed and self._capacity:
            notes.append(
                "capacity was not given; using the highest partition rate at the start, rounded "
                "up. Set --capacity, or --mu"
            )
        if self.group and view.ends and not view.committed:
            notes.append(f"group {printable(self.group)} has committed nothing for this topic")
        return notes


def _check_names(names: Sequence[str], are_scaling: bool) -> None:
    """Check names before ten seconds of waiting for a cluster; parameters need its partitions."""
    registry = strategies if are_scaling else algorithms
    for name in names:
        try:
            registry.get(strategies.name_of(name) if are_scaling else name)
        except AlgorithmError as error:
            raise InputError(f"--strategy {name}: {error}") from None
        own_algorithms.check_name(name, "--strategy ")
