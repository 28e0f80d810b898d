"""Looks at a group, and what was observed from one decision of a strategy to the next."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import deployed_syncs
from algorithms.autoscaling.dispatch import NO_ANSWER, Seen
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import allocating, kernel

COUNT = 2
_LOOKS, _DECIDED, _SEEN, _EVENTS = 0, 1, 3, 4

# Times that differ by less are equal.
_ROUNDING_S = 1e-8


class Looks(NamedTuple):
    """State of what looks at a group and asks a strategy."""

    marks: Longs
    """int64[5]: looks and decisions that were due so far; the last count, `NO_ANSWER` before the
    first; observations and steps since the strategy's last decision."""
    rates: Floats
    consumed: Bools
    events: Floats
    """`rates`, `consumed`, `events`: float64[P], bool[P], float64[W]: sum of the rates, whether
    partitions were consumed, and events of each step, since the strategy's last decision."""
    look_s: float
    decides_s: float
    """`look_s`, `decides_s`: times between looks, and between the strategy's decisions, seconds."""


def create(group: Group, own: Group, look_s: float) -> Looks:
    """The state before the first look; `own` is the `inner_group`."""
    marks = np.zeros(5, np.int64)
    marks[COUNT] = NO_ANSWER
    return Looks(
        marks=marks,
        rates=np.zeros(group.partitions),
        consumed=np.zeros(group.partitions, np.bool_),
        events=np.empty(round((own.decision_s + group.decision_s) / group.step_s) + 1),
        look_s=look_s,
        decides_s=own.decision_s,
    )


def inner_group(group: Group, decides_s: float, look_s: float) -> Group:
    """The group as the strategy sees it: it decides at looks, which are decisions of the group."""
    look = max(1, math.ceil(look_s / group.decision_s - _ROUNDING_S)) * group.decision_s
    return group._replace(
        decision_s=max(1, math.ceil(decides_s / look - _ROUNDING_S)) * look,
        # Whether the group is idle, and needs none, is not the strategy's decision.
        min_replicas=max(group.min_replicas, 1),
        initial_replicas=max(group.initial_replicas, 1),
    )


@kernel
def is_look(looks: Looks, time: float) -> bool:
    """Whether a look is due at the time of a decision of the group."""
    return deployed_syncs.is_due(looks.marks, _LOOKS, time, looks.look_s)


@kernel
def is_decision(looks: Looks, time: float) -> bool:
    """Whether the strategy has to decide at a look."""
    return deployed_syncs.is_due(looks.marks, _DECIDED, time, looks.decides_s)


@kernel
def observe(looks: Looks, seen: Seen) -> None:
    """Add an observation to those since the strategy's last decision."""
    marks, rates, consumed, events = looks.marks, looks.rates, looks.consumed, looks.events
    is_first = marks[_SEEN] == 0
    for p in range(rates.shape[0]):
        rates[p] = seen.rates[p] if is_first else rates[p] + seen.rates[p]
        consumed[p] = seen.consumed[p] if is_first else consumed[p] | seen.consumed[p]
    for k in range(min(seen.counts.shape[0], events.shape[0] - marks[_EVENTS])):
        events[marks[_EVENTS]] = seen.counts[k]
        marks[_EVENTS] += 1
    marks[_SEEN] += 1


@allocating
def since_last_decision(looks: Looks, seen: Seen, count: int) -> Seen:
    """What the strategy sees: mean rates and events since its last decision.

    seen: The last observation, which gives all else.
    count: Replicas that the strategy takes to run.
    """
    return Seen(
        seen.time,
        seen.step,
        seen.lags,
        np.round(looks.rates / looks.marks[_SEEN], 6),
        seen.owners,
        count,
        looks.consumed,
        looks.events[: looks.marks[_EVENTS]],
    )


@kernel
def decided(looks: Looks, count: int, least: int, most: int) -> None:
    """Keep the strategy's count within bounds, and begin to observe for its next decision."""
    looks.marks[COUNT] = min(max(count, least), most)
    looks.marks[_SEEN] = looks.marks[_EVENTS] = 0
