"""Counting strategies behind KEDA and the horizontal pod autoscaler, as `groupscale scaler` runs.

The scaler looks at the group every ``look_s``. The strategy decides at looks, no more often than
alone. KEDA hands its last count to the pod autoscaler, which syncs every ``sync_s``.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import (
    compiled_decisions,  # noqa: F401  for `decide`
    deployed_idleness,
    deployed_syncs,
    hpa_rules,
)
from algorithms.autoscaling.deployed_idleness import Idleness
from algorithms.autoscaling.deployed_syncs import Syncs
from algorithms.autoscaling.dispatch import NO_ANSWER, Seen, check_of, decide, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.compiled import allocating_unkept, kernel

# Times that differ by less are equal.
_ROUNDING_S = 1e-8
_LOOKS, _DECIDED, _COUNT, _SEEN, _EVENTS, _ASKED = 0, 1, 2, 3, 4, 5


class Deployed(NamedTuple):
    """State of a counting strategy, of the scaler that runs it, and of the pod autoscaler."""

    partitions: int
    counting: Any
    """State of the strategy."""
    syncs: Syncs
    """State of the pod autoscaler."""
    idleness: Idleness
    """What the scaler and KEDA know of idle times."""
    marks: Longs
    """int64[6]: looks and decisions that were due so far; the last count, `NO_ANSWER` before the
    first; observations and steps since the strategy's last decision; what the scaler asks for, the
    last count or 0, `NO_ANSWER` before the first."""
    rates: Floats
    consumed: Bools
    events: Floats
    """`rates`, `consumed`, `events`: float64[P], bool[P], float64[W]: sum of the rates, whether
    partitions were consumed, and events of each step, since the strategy's last decision."""
    look_s: float
    decides_s: float
    """`look_s`, `decides_s`: times between looks, and between the strategy's decisions, seconds."""


def check(
    group: Group, *, counting: str, decides_s: float, look_s: float, **arguments: Any
) -> None:
    """Raise what `start` would raise."""
    of_syncs, others = deployed_syncs.parted(arguments)
    _, of_strategy = deployed_syncs.parted(others, deployed_idleness.create)
    deployed_syncs.create(group, **of_syncs)
    check_of(counting)(_inner_group(group, decides_s, look_s), **of_strategy)


def start(
    group: Group, *, counting: str, decides_s: float, look_s: float, **arguments: Any
) -> Deployed:
    """Start a strategy that decides on a count, deployed through KEDA.

    counting: Full name of the strategy's module.
    decides_s: Time between decisions of the strategy alone, seconds.
    look_s: Time between looks of the scaler at the group, seconds.
    arguments: Those of `algorithms.autoscaling.deployed_syncs.create`, of `create` in
        `algorithms.autoscaling.deployed_idleness`, and of the strategy.

    Each decision of the group is a moment at which a look may be due: times between them are
    rounded up to decisions. A sync before the strategy's first decision leaves the group as it is.
    Of a look, a poll and a sync at one moment, the look is first, and a poll that changes the count
    replaces the sync. The strategy always decides on at least one replica.
    O(P) per decision, beside the strategy's own work.
    """
    of_syncs, others = deployed_syncs.parted(arguments)
    of_idleness, of_strategy = deployed_syncs.parted(others, deployed_idleness.create)
    syncs = deployed_syncs.create(group, **of_syncs)
    own = _inner_group(group, decides_s, look_s)
    marks = np.zeros(6, np.int64)
    marks[[_COUNT, _ASKED]] = NO_ANSWER
    return Deployed(
        partitions=group.partitions,
        counting=import_module(counting).start(own, **of_strategy),
        syncs=syncs,
        idleness=deployed_idleness.create(group, **of_idleness),
        marks=marks,
        rates=np.zeros(group.partitions),
        consumed=np.zeros(group.partitions, np.bool_),
        events=np.empty(round((own.decision_s + group.decision_s) / group.step_s) + 1),
        look_s=look_s,
        decides_s=own.decision_s,
    )


def _inner_group(group: Group, decides_s: float, look_s: float) -> Group:
    """The group as the strategy sees it: it decides at looks, which are decisions of the group."""
    look = max(1, math.ceil(look_s / group.decision_s - _ROUNDING_S)) * group.decision_s
    return group._replace(
        decision_s=max(1, math.ceil(decides_s / look - _ROUNDING_S)) * look,
        # Whether the group is idle, and needs none, is not the strategy's decision.
        min_replicas=max(group.min_replicas, 1),
        initial_replicas=max(group.initial_replicas, 1),
    )


# Not cached by itself: the state of a strategy may be of a package that others cannot import.
@decides(Deployed)
@allocating_unkept
def _decide(state: Deployed, seen: Seen, after: Longs) -> tuple[int, int]:
    marks, controller, idleness = state.marks, state.syncs.controller, state.idleness
    _observe(marks, state.rates, state.consumed, state.events, seen)
    deployed_idleness.note(idleness, seen.rates)
    if deployed_syncs.is_due(marks, _LOOKS, seen.time, state.look_s):
        has_decided = deployed_syncs.is_due(marks, _DECIDED, seen.time, state.decides_s)
        if has_decided:
            least, most = controller.min_replicas, controller.max_replicas
            rates = np.round(state.rates / marks[_SEEN], 6)
            count = marks[_COUNT] if marks[_COUNT] >= 0 else max(seen.replicas, least)
            own = Seen(
                seen.time,
                seen.step,
                seen.lags,
                rates,
                seen.owners,
                count,
                state.consumed,
                state.events[: marks[_EVENTS]],
            )
            answer, _ = decide(state.counting, own, after)
            if answer >= 0:
                count = answer
            marks[_COUNT] = min(max(count, least), most)
            marks[_SEEN] = marks[_EVENTS] = 0
        marks[_ASKED] = deployed_idleness.asked(
            idleness, seen, marks[_COUNT], marks[_ASKED], has_decided
        )
    is_sync = deployed_syncs.is_sync(state.syncs, seen.time)
    if idleness.to_zero:
        switched = deployed_idleness.poll(idleness, seen.time, marks[_ASKED], seen.replicas)
        if switched >= 0 or seen.replicas == 0:
            return switched, 0
    if not is_sync or marks[_ASKED] < 0:
        return NO_ANSWER, 0
    _, desired = hpa_rules.sync(controller, seen.time, float(marks[_ASKED]), seen.replicas)
    return desired, 0


@kernel
def _observe(marks: Longs, rates: Floats, consumed: Bools, events: Floats, seen: Seen) -> None:
    """Add an observation to those since the strategy's last decision."""
    is_first = marks[_SEEN] == 0
    for p in range(rates.shape[0]):
        rates[p] = seen.rates[p] if is_first else rates[p] + seen.rates[p]
        consumed[p] = seen.consumed[p] if is_first else consumed[p] | seen.consumed[p]
    for k in range(min(seen.counts.shape[0], events.shape[0] - marks[_EVENTS])):
        events[marks[_EVENTS]] = seen.counts[k]
        marks[_EVENTS] += 1
    marks[_SEEN] += 1
