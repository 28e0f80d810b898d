"""Looks at a group, and what was observed from one decision of a strategy to the next.

A look reads end offsets and committed ones. Of a blind group, it fails if partitions or all are
missing. Offsets that stay as they were look like no events, and so do zeros; when the true ones are
back, all that has arrived meanwhile seems to have arrived at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import deployed_syncs, recent_values
from algorithms.autoscaling.blind_answers import BLIND_S, HOUR_S, LATE_LOOKS
from algorithms.autoscaling.dispatch import (
    MISSING,
    NO_ANSWER,
    PARTITION,
    SEEING,
    STALE,
    ZERO,
    Seen,
)
from algorithms.autoscaling.recent_values import Recent
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import allocating, kernel

COUNT = 2
_LOOKS, _DECIDED, _SEEN, _EVENTS, _FAILED, _MISSED = 0, 1, 3, 4, 5, 6

_LOOKED, _COUNTED = 0, 1

# Times that differ by less are equal.
_ROUNDING_S = 1e-8


class Looks(NamedTuple):
    """State of what looks at a group and asks a strategy."""

    marks: Longs
    """int64[7]: looks and decisions that were due so far; the last count, `NO_ANSWER` before the
    first; observations and steps since the strategy's last decision; whether the last look failed,
    and whether `missed` is still to be read."""
    rates: Floats
    consumed: Bools
    events: Floats
    """`rates`, `consumed`, `events`: float64[P], bool[P], float64[W]: sum of the rates, whether
    partitions were consumed, and events of each step, since the strategy's last decision."""
    missed: Floats
    """float64[P]: events that offsets did not show when they were read last."""
    arrived: Floats
    """float64[P]: events that had arrived by what was read last."""
    last_rate: Floats
    """float64[1]: rate of the last partition when it was read last, events/s."""
    recent: Recent
    """Counts of the last hour."""
    seen: Floats
    """float64[2]: times of the last look that succeeded and of the last count, seconds."""
    look_s: float
    decides_s: float
    observed_s: float
    """`look_s`, `decides_s`, `observed_s`: times between looks, between the strategy's decisions,
    and between observations, seconds."""


def create(group: Group, own: Group, look_s: float) -> Looks:
    """The state before the first look; `own` is the `inner_group`."""
    marks = np.zeros(7, np.int64)
    marks[COUNT] = NO_ANSWER
    return Looks(
        marks=marks,
        rates=np.zeros(group.partitions),
        consumed=np.zeros(group.partitions, np.bool_),
        events=np.empty(round((own.decision_s + group.decision_s) / group.step_s) + 1),
        missed=np.zeros(group.partitions),
        arrived=np.zeros(group.partitions),
        last_rate=np.zeros(1),
        recent=recent_values.covering("an hour", HOUR_S, own.decision_s),
        seen=np.zeros(2),
        look_s=look_s,
        decides_s=own.decision_s,
        observed_s=group.decision_s,
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
def is_look(looks: Looks, seen: Seen, needs_all: bool) -> bool:
    """Whether a look is due at the time of a decision of the group, and gives rates.

    needs_all: Whether it fails without a partition; otherwise, the last rate of that one holds.

    The first look after others have failed gives no rates: a mean over the gap would hide a peak.
    """
    if not deployed_syncs.is_due(looks.marks, _LOOKS, seen.time, looks.look_s):
        return False
    has_failed = looks.marks[_FAILED] == 1
    fails = seen.blind == MISSING or (needs_all and seen.blind == PARTITION)
    looks.marks[_FAILED] = fails
    if has_failed or fails:
        looks.marks[_SEEN] = looks.marks[_EVENTS] = 0
        return False
    looks.seen[_LOOKED] = seen.time
    return True


@kernel
def read_offsets(looks: Looks, seen: Seen) -> None:
    """Replace true rates and counts of a blind group by those of the offsets that are read.

    Without its last partition, the last rate of that one holds.
    """
    missed, marks = looks.missed, looks.marks
    is_hidden = seen.blind == STALE or seen.blind == ZERO
    last = missed.shape[0] - 1
    if seen.blind == PARTITION:
        seen.rates[last] = looks.last_rate[0]
    if not is_hidden:
        _read_arrivals(looks, seen)
    if not is_hidden and (seen.blind != SEEING or marks[_MISSED] == 0):
        return
    total = 0.0
    for p in range(missed.shape[0]):
        events = seen.rates[p] * looks.observed_s
        if seen.blind == ZERO:
            missed[p] = seen.arrived[p]
        elif seen.blind == STALE:
            missed[p] += events
        total += missed[p]
        seen.rates[p] = 0.0 if is_hidden else round((events + missed[p]) / looks.observed_s, 6)
        if not is_hidden:
            missed[p] = 0.0
    marks[_MISSED] = is_hidden
    if is_hidden:
        seen.counts[:] = 0.0
    else:
        seen.counts[0] += total


@kernel
def _read_arrivals(looks: Looks, seen: Seen) -> None:
    """Keep what has arrived by what is read, if that is known, and the rate of the last one."""
    last = looks.arrived.shape[0] - 1
    for p in range(min(seen.arrived.shape[0], last + 1)):
        if p < last or seen.blind != PARTITION:
            looks.arrived[p] = seen.arrived[p]
        else:
            looks.arrived[p] += looks.last_rate[0] * looks.observed_s
    if seen.blind == SEEING:
        looks.last_rate[0] = seen.rates[last]


@kernel
def held(looks: Looks, time: float, count: int) -> int:
    """What is asked for, which is `count` while looks succeed, and has been for long.

    After `BLIND_S` without a look, it is the greater of the last count and the greatest of the hour
    before, and at least one: only a look can say that a group is idle.
    """
    is_blind = looks.marks[_FAILED] == 1 or looks.seen[_LOOKED] < time - LATE_LOOKS * looks.look_s
    if count < 0 or not is_blind or time - looks.seen[_LOOKED] < BLIND_S - _ROUNDING_S:
        return count
    last, window = looks.seen[_COUNTED], HOUR_S + 4.0 * _ROUNDING_S
    return max(int(recent_values.greatest(looks.recent, last, window, float(count))), 1)


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
    arrived = looks.arrived if seen.arrived.shape[0] > 0 else seen.arrived
    return Seen(
        seen.time,
        seen.step,
        seen.lags,
        np.round(looks.rates / looks.marks[_SEEN], 6),
        seen.owners,
        count,
        looks.consumed,
        looks.events[: looks.marks[_EVENTS]],
        seen.blind,
        arrived,
    )


@kernel
def decided(looks: Looks, time: float, count: int, least: int, most: int) -> None:
    """Keep the strategy's count within bounds, and begin to observe for its next decision."""
    looks.marks[COUNT] = min(max(count, least), most)
    recent_values.record(looks.recent, time, float(looks.marks[COUNT]))
    looks.seen[_COUNTED] = time
    looks.marks[_SEEN] = looks.marks[_EVENTS] = 0
