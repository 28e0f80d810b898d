"""A strategy that decides on a count, as the scaler and its replay call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.assignment import Observation
from algorithms.autoscaling import candidates, registry, strategies, time_lags
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.strategy import ASSIGNOR, PACKING
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import AlgorithmError
from algorithms.core.setting import declared
from algorithms.simulation.group_settings import GroupSettings, check_settings, group_of
from live.scaler import scaler_answers
from live.scaler.scaler_settings import ScalerTarget
from live.scaler.step_rates import Step
from pipeline.base.errors import InputError

_OWN = ("mu", "min_replicas", "max_replicas", "step_s")
_SIMULATED = ("cooldown_s", "decision_offset_s", "observe")
"""Settings of a group that the file says elsewhere, and those that only a simulation obeys."""

_MOST_TRIED = 1000

_EARLY = 0.5
"""Share of a look by which a decision may come early."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, and what it was made on."""

    replicas: int
    rate: float
    """Events/s of the whole group since the decision before."""
    lag: float
    """Records that the group has not committed."""
    lag_s: float
    """Age of the oldest of them, interpolated from end offsets, seconds."""


def check(target: ScalerTarget, look_s: float) -> Candidate:
    """The strategy of a group; InputError if the scaler cannot give it what it needs."""
    # Before a look, partitions are not known: here none is one too few.
    others = (1,) * (len(target.topics) - 1)
    sizes = (min(target.max_replicas, _MOST_TRIED), *others)
    try:
        one = _parsed(target.strategy)
        started(one, settings_of(target, one, look_s, sizes, 1, 1), sizes)
    except AlgorithmError as error:
        raise InputError(f"`strategy` {target.strategy}: {error}") from None
    return one


def _parsed(text: str) -> Candidate:
    every = candidates.parse(text, 1, 1.0, 1.0)
    if len(every) != 1:
        raise InputError(f"`strategy` {text}: must be one strategy; write the sweep's best one")
    (one,) = every
    strategy = registry.get(one.strategy)
    # The scaler itself does run keda_hpa: it can be compared with KEDA's own trigger.
    reason = "" if one.strategy == "keda_hpa" else strategies.NOT_DEPLOYED.get(one.strategy, "")
    if strategy.family == PACKING and not strategy.foresees:
        reason = "places partitions, which needs a controller"
    elif strategy.family == ASSIGNOR:
        reason = "is an assignor, which members have"
    elif strategy.foresees:
        reason = "needs rates that are not known of a live topic"
    elif one.settings.get("assignor") == "kip169":
        reason = "has the assignor kip169, which the scaler does not know"
    if reason:
        raise InputError(
            f"`strategy` {text}: {reason}; choose one that decides on a count, such as headroom"
        )
    _check_names(text, one)
    return one


def _check_names(text: str, one: Candidate) -> None:
    for name in one.chosen_settings:
        if name in _OWN:
            raise InputError(
                f"`strategy` {text}: {name} does not belong here; the file says it elsewhere"
            )
        if name in _SIMULATED:
            raise InputError(f"`strategy` {text}: {name} is for simulations; leave it out")
        if name not in declared(GroupSettings):
            own = ", ".join(registry.get(one.strategy).arguments) or "none"
            raise InputError(
                f"`strategy` {text}: unknown parameter {name!r}; must be an argument of "
                f"{one.strategy} ({own}) or a setting of the group"
            )


def settings_of(
    target: ScalerTarget,
    one: Candidate,
    look_s: float,
    sizes: tuple[int, ...],
    replicas: int,
    members_per_replica: int,
    step_s: float | None = None,
) -> GroupSettings:
    """Settings of the group by members, each of which serves its part of a replica's rate.

    sizes: Partitions of each topic.
    replicas: Replicas at the start.
    step_s: Time between two observations; None: between two looks.
    """
    each, partitions = members_per_replica, sum(sizes)
    # Whether the group is idle, and needs none, is not the strategy's decision.
    least = max(target.min_replicas, 1)
    # A member without partitions serves nothing.
    most = max(min(target.max_replicas, -(-partitions // each)), least)
    first = min(max(replicas, least), most)
    decision_s = candidates.whole_steps(registry.get(one.strategy).decision_s, look_s)
    own = {
        "step_s": look_s if step_s is None else step_s,
        "mu": target.mu / each,
        "min_replicas": least * each,
        "max_replicas": most * each,
        **one.settings,
        "initial_replicas": int(one.settings.get("initial_replicas", first)) * each,
    }
    return check_settings(own, partitions, decision_s, None)


def started(one: Candidate, settings: GroupSettings, sizes: tuple[int, ...]) -> Any:
    """State of a strategy before its first decision."""
    group = group_of(settings, np.zeros(sum(sizes)), sizes)
    return registry.get(one.strategy).start(group, **one.arguments)


class CountDecisions:
    """Steps a strategy; decides each time that its own period is over.

    settings: From `settings_of`.
    """

    def __init__(
        self,
        one: Candidate,
        settings: GroupSettings,
        sizes: tuple[int, ...],
        members_per_replica: int,
    ) -> None:
        self._strategy = registry.get(one.strategy)
        self._state = started(one, settings, sizes)
        self._settings, self._each = settings, members_per_replica
        self._members = settings.initial_replicas
        self._arrivals = time_lags.create(sum(sizes), settings.step_s)
        self._decided_s = 0.0
        self._seen: list[Step] = []

    def step(self, step: Step) -> Decided | None:
        """Take a step; None if the strategy's period is not over.

        Raises InvalidParameterError, ValueError if the strategy refuses what it sees, or its count
            is none.
        """
        self._seen.append(step)
        time_lags.arrive(self._arrivals, step.time_s, step.rates, step.arrived)
        time_lags.note(self._arrivals)
        due_s = self._decided_s + self._settings.decision_s - _EARLY * self._settings.step_s
        if step.time_s < due_s:
            return None
        self._decided_s = step.time_s
        rates, observation = self._observed(step)
        # Interpreted kernels divide as compiled ones do, without a warning.
        with np.errstate(divide="ignore", invalid="ignore"):
            decision = self._strategy.step(self._state, observation)
        self._seen = []
        if decision.replicas is not None:
            least, most = self._settings.min_replicas, self._settings.max_replicas
            self._members = min(max(scaler_answers.checked(decision.replicas), least), most)
        lag_s = float(time_lags.greatest(self._arrivals, step.lags))
        replicas, lag = -(-self._members // self._each), float(step.lags.sum())
        return Decided(replicas, float(rates.sum()), lag, lag_s)

    def _observed(self, step: Step) -> tuple[Floats, Observation]:
        """Mean rates since the decision before, and all that the strategy sees."""
        rates = _mean([each.rates for each in self._seen])
        events = [float(np.cumsum(each.rates)[-1]) * each.seconds for each in self._seen]
        return rates, Observation(
            rates=rates,
            lags=step.lags,
            owners=step.owners,
            replicas=self._members,
            time=step.time_s,
            consumed=np.logical_or.reduce([each.consumed for each in self._seen]),
            counts=np.array(events),
            arrived=step.arrived,
        )


def _mean(rows: list[Floats]) -> Floats:
    total = np.zeros(rows[0].size)
    for row in rows:
        total += row
    mean: Floats = np.round(total / len(rows), 6)
    return mean
