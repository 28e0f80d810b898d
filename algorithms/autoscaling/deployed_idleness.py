"""Scale to zero behind KEDA: when the scaler finds a group idle, and when KEDA obeys.

An idle group is asked to have 0 replicas. The pod autoscaler goes down to 1; KEDA's polls stop that
one, and start the first again. The pod autoscaler does nothing while there are none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import deployed_syncs
from algorithms.autoscaling.dispatch import NO_ANSWER, Seen
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

# Times that differ by less are equal.
_ROUNDING_S = 1e-8
_POLLS, _ARRIVED = 0, 1
_QUIET, _ACTIVE = 0, 1


class Idleness(NamedTuple):
    """What the scaler and KEDA know of a group's idle times."""

    marks: Longs
    """int64[2]: polls that were due so far; whether events have arrived since the last look, 1 or
    0."""
    times: Floats
    """float64[2]: time of the look since which nothing has arrived or waited, +inf before the
    first; time of the last poll that found the group active."""
    to_zero: bool
    """Whether the group may have no replicas."""
    activation: int
    quiet_s: float
    polling_s: float
    idle_s: float
    """`activation`, `quiet_s`, `polling_s`, `idle_s`: the arguments of `create`."""


def create(
    group: Group, activation: int, quiet_s: float, polling_s: float, idle_s: float
) -> Idleness:
    """State before the first look.

    group: With ``min_replicas = 0`` it may have no replicas; if it starts with none, it was idle.
    activation: Whole events that may wait in each partition of an idle group.
    quiet_s: Time without further or waiting events after which the scaler asks for 0 replicas,
        ``cooldown_s`` in its file, seconds.
    polling_s: Time between KEDA's polls, seconds.
    idle_s: Time without a poll that finds the group active, after which KEDA stops its last
        replica, ``cooldownPeriod``, seconds.
    """
    return Idleness(
        marks=np.zeros(2, np.int64),
        times=np.array([-np.inf if group.initial_replicas == 0 else np.inf, 0.0]),
        to_zero=group.min_replicas == 0,
        activation=activation,
        quiet_s=quiet_s,
        polling_s=polling_s,
        idle_s=idle_s,
    )


@kernel
def note(state: Idleness, rates: Floats) -> None:
    """Note whether events have arrived since the decision before."""
    if state.to_zero:
        for rate in rates:
            if rate > 0.0:
                state.marks[_ARRIVED] = 1


@kernel
def asked(state: Idleness, seen: Seen, count: int, before: int, has_decided: bool) -> int:
    """Replicas that the scaler asks for from a look on.

    count: What the strategy decided last, `NO_ANSWER` if it has not.
    before: What the scaler asked for until this look.
    has_decided: Whether the strategy decided at this look.
    """
    if not state.to_zero:
        return count
    if _is_idle(state, seen):
        return 0
    if has_decided:
        return count
    return 1 if before == 0 else before


@kernel
def _is_idle(state: Idleness, seen: Seen) -> bool:
    """Whether a look finds that nothing has arrived for long, and nothing waits."""
    marks, times = state.marks, state.times
    is_busy = bool(marks[_ARRIVED] == 1)
    for lag in seen.lags:
        if np.floor(lag) > state.activation:
            is_busy = True
    marks[_ARRIVED] = 0
    if is_busy or times[_QUIET] > seen.time:
        times[_QUIET] = seen.time
    return bool(not is_busy and seen.time - times[_QUIET] >= state.quiet_s - _ROUNDING_S)


@kernel
def poll(state: Idleness, time: float, count: int, replicas: int) -> int:
    """Replicas if a poll is due and starts the first or stops the last, `NO_ANSWER` otherwise.

    count: What the scaler asks for; `NO_ANSWER` is an error to KEDA, which then does nothing.
    """
    if not deployed_syncs.is_due(state.marks, _POLLS, time, state.polling_s):
        return NO_ANSWER
    if count > 0:
        state.times[_ACTIVE] = time
        return 1 if replicas == 0 else NO_ANSWER
    is_over = time - state.times[_ACTIVE] >= state.idle_s - _ROUNDING_S
    return 0 if count == 0 and is_over and replicas > 0 else NO_ANSWER
