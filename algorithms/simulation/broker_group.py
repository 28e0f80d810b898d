"""A consumer group on a broker, as the strategies of simulated groups see it.

Times of strategies are meant for iterations of 30 s, those of the paper. In a run with iterations
of another length T, a second of the strategy, by its own clock, lasts T / 30 s: its decisions and
the times in its arguments are scaled with T, as KEDA's are. Rates are records per second of that
clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from algorithms.autoscaling import Group, registry
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.strategies import PLACEMENT
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_settings import (
    DEFAULTS,
    GroupSettings,
    check_settings,
    group_of,
)

ITERATION_S = 30.0
"""Length of an iteration by the strategies' clock, seconds."""

LEAST_STEP_S = 0.1
"""Shortest step, and so the shortest time between two decisions, seconds of the broker's clock."""

_STEPS = (30, 15, 10, 6, 5, 3, 2, 1)

MOST_REPLICAS = 40
"""Consumers that one machine can run."""

STARTUP_S = 2.0
"""How long a consumer starts, seconds of the broker's clock: here it is a process, not a pod."""

MEASURED: Mapping[str, Any] = MappingProxyType(
    {"protocol": "incremental", "heartbeat_s": 0.0, "commit_s": 0.0}
)
"""What replaces the model of Kafka's groups: how long a partition waits that moves is measured, in
all; and the controller reads the progress that consumers report, not commits."""

SETTINGS = (
    *("assignor", "decision_s", "initial_replicas", "max_replicas", "min_replicas", "observe"),
    "wsla_s",
)
"""Settings of a group that a candidate may have; the others follow from the broker."""

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "optimal": "an assignment algorithm such as MWF",
        f"keda_prometheus{PLACEMENT}": f"keda_prometheus, or headroom{PLACEMENT}",
    }
)
"""Strategies for simulated groups only, and what to choose instead: an argument is a rate of a
simulated consumer; the controller scrapes nothing."""


class BrokerGroup(NamedTuple):
    """A group whose consumers process records at a constant rate."""

    partitions: int
    """Number of partitions P."""
    capacity: float
    consumer_rate: float
    """`capacity`, `consumer_rate`: packing capacity C, and what a consumer processes at most,
    bytes/s."""
    record_bytes: int
    """Size of a record."""
    iteration_s: float
    """Length of an iteration, seconds."""

    @property
    def pace(self) -> float:
        """Seconds of the broker's clock in a second of the strategies' clock."""
        return self.iteration_s / ITERATION_S

    @property
    def steps(self) -> int:
        """Steps of an iteration."""
        return next(n for n in _STEPS if n == 1 or self.iteration_s / n >= LEAST_STEP_S)

    @property
    def step_s(self) -> float:
        """Length of a step by the strategies' clock, seconds."""
        return ITERATION_S / self.steps

    @property
    def mu(self) -> float:
        """Records per second of the strategies' clock that a consumer processes."""
        return self.consumer_rate / self.record_bytes * self.pace

    def events(self, rates: Floats) -> Floats:
        """Rates in bytes/s as records per second of the strategies' clock."""
        return rates / self.record_bytes * self.pace

    def settings(
        self,
        candidate: Candidate,
        first_rate: float = 0.0,
        rebalance_s: float = DEFAULTS["rebalance_s"],
        startup_s: float = STARTUP_S,
    ) -> GroupSettings:
        """Settings of the group for a candidate, by the strategies' clock.

        first_rate: Total rate of the first iteration, bytes/s: unless the candidate says otherwise,
            the group begins with as many consumers as that rate needs at C.
        rebalance_s, startup_s: How long a partition waits that moves, and a consumer starts,
            seconds of the broker's clock.
        Raises InvalidParameterError if a parameter is no argument, and none of `SETTINGS`.
        """
        strategy = registry.get(candidate.strategy)
        _check_names(candidate, strategy.arguments)
        own = candidate.settings
        wsla_s = check_number("wsla_s", own.get("wsla_s", DEFAULTS["wsla_s"]), above=0.0)
        most = min(self.partitions, MOST_REPLICAS)
        least = own.get("min_replicas", 1)
        merged = {"max_replicas": most, "initial_replicas": least, "assignor": "sticky", **own}
        checked = check_settings(
            {
                **merged,
                "wsla_s": wsla_s / self.pace,
                "step_s": self.step_s,
                "mu": self.mu,
                **MEASURED,
                "rebalance_s": rebalance_s / self.pace,
                "startup_s": startup_s / self.pace,
            },
            self.partitions,
            whole_steps(strategy.decision_s, self.step_s),
            strategy.observe,
        )
        _check_replicas(checked, most)
        if "initial_replicas" in own:
            return checked
        needed = math.ceil(first_rate / self.capacity)
        first = min(max(needed, checked.min_replicas), checked.max_replicas)
        return replace(checked, initial_replicas=first)

    def start(self, candidate: Candidate, settings: GroupSettings, peaks: Floats) -> Any:
        """State of a candidate's strategy before its first decision.

        peaks: float64[P], greatest rate of each partition, bytes/s.
        """
        strategy = registry.get(candidate.strategy)
        return strategy.start(self.group(settings, peaks), **candidate.arguments)

    def check(self, candidate: Candidate, settings: GroupSettings, peaks: Floats) -> None:
        """Raise what `start` would raise."""
        strategy = registry.get(candidate.strategy)
        strategy.check(self.group(settings, peaks), **candidate.arguments)

    def group(self, settings: GroupSettings, peaks: Floats) -> Group:
        """What a strategy knows of the group."""
        return group_of(settings, self.events(peaks))


def _check_names(candidate: Candidate, arguments: Mapping[str, Any]) -> None:
    instead = REFUSED.get(candidate.strategy)
    if instead is not None:
        raise InvalidParameterError(
            f"{candidate.strategy} is for simulated groups only; choose {instead}"
        )
    for name in candidate.chosen_settings:
        if name not in SETTINGS:
            raise InvalidParameterError(
                f"unknown parameter {name!r}; must be an argument of {candidate.strategy} "
                f"({', '.join(arguments) or 'none'}) or one of {', '.join(SETTINGS)}"
            )


def _check_replicas(settings: GroupSettings, most: int) -> None:
    if settings.min_replicas < 1:
        raise InvalidParameterError(
            f"min_replicas must be at least 1 on a broker (got {settings.min_replicas})"
        )
    if settings.max_replicas > most:
        raise InvalidParameterError(
            f"max_replicas must be at most {most}, one per partition and {MOST_REPLICAS} in all "
            f"(got {settings.max_replicas})"
        )
