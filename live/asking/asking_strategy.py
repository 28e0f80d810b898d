"""The strategy of a group that asks, by the broker's own clock: a second is a second."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.broker_group import (
    ITERATION_S,
    MOST_REPLICAS,
    REFUSED,
    SETTINGS,
    STARTUP_S,
    BrokerGroup,
)
from algorithms.simulation.group_settings import GroupSettings, check_settings
from live.controller.scaled_strategy import ScaledStrategy
from live.live_settings import LiveSettings

_OWN = (*SETTINGS, "cooldown_s", "rebalance_s")
"""Settings of a group that a candidate may have; its ``rebalance_s`` is the one that it plans with,
by default the time that members really wait."""


def on_own_clock(settings: LiveSettings) -> LiveSettings:
    """Settings with iterations for which the clock of strategies is the broker's."""
    span_s = settings.iteration_s * settings.iterations
    return replace(settings, iteration_s=ITERATION_S, iterations=math.ceil(span_s / ITERATION_S))


def group_settings(group: BrokerGroup, one: Candidate, revoke_s: float) -> GroupSettings:
    """Settings of the group for a candidate; defaults are those of simulated groups.

    group: A group whose iterations last 30 s.
    revoke_s: Time that members wait whenever partitions are taken from them, seconds.
    Raises InvalidParameterError if a parameter is invalid, or not for groups on a broker.
    """
    strategy = registry.get(one.strategy)
    if one.strategy in REFUSED:
        raise InvalidParameterError(f"{one.strategy} is for simulated groups only")
    for name in one.settings:
        if name not in _OWN:
            names = ", ".join((*strategy.arguments, *_OWN))
            raise InvalidParameterError(f"unknown parameter {name!r}; choose one of {names}")
    most = min(group.partitions, MOST_REPLICAS)
    own = {
        "max_replicas": most,
        "step_s": group.step_s,
        "mu": group.mu,
        "rebalance_s": revoke_s,
        "startup_s": STARTUP_S,
        **one.settings,
    }
    checked = check_settings(
        own, group.partitions, whole_steps(strategy.decision_s, group.step_s), strategy.observe
    )
    if not 1 <= checked.min_replicas <= checked.max_replicas <= most:
        raise InvalidParameterError(
            f"min_replicas and max_replicas must be between 1 and {most} on a broker (got "
            f"{checked.min_replicas} and {checked.max_replicas})"
        )
    return checked


def asking_strategy(
    label: str, settings: LiveSettings, rates: Sequence[Sequence[float]]
) -> ScaledStrategy:
    """The strategy of a run. rates: Bytes/s by iteration and partition."""

    def own(group: BrokerGroup, one: Candidate) -> GroupSettings:
        return group_settings(group, one, settings.revoke_s)

    return ScaledStrategy(label, on_own_clock(settings), rates, own)


class StreamSteps:
    """The rates of the stream itself in steps of another length, bytes/s by partition.

    rates: Bytes/s by iteration and partition.
    """

    def __init__(self, rates: Sequence[Sequence[float]], iteration_s: float, step_s: float) -> None:
        self._rates = np.array(rates, np.float64)
        self._iteration_s, self._step_s = iteration_s, step_s
        begins = np.zeros((1, self._rates.shape[1]))
        self._totals = np.concatenate([begins, np.cumsum(self._rates, axis=0) * iteration_s])

    def of_steps(self, first: int, last: int) -> Floats:
        """Mean bytes/s of each step by partition; the last iteration goes on."""
        totals = np.array([self._total(k * self._step_s) for k in range(first, last + 1)])
        rows: Floats = np.diff(totals, axis=0) / self._step_s
        return rows

    def are_known(self, now_ns: int) -> bool:
        """Always."""
        return True

    def _total(self, time_s: float) -> Floats:
        """Bytes until a time, seconds since the beginning."""
        k = min(int(time_s / self._iteration_s), len(self._rates) - 1)
        total: Floats = self._totals[k] + (time_s - k * self._iteration_s) * self._rates[k]
        return total
