"""Counting strategies behind KEDA and the horizontal pod autoscaler, as `groupscale scaler` runs.

The scaler looks at the group every ``look_s``. The strategy decides at looks, no more often than
alone. KEDA hands its last count to the pod autoscaler, which syncs every ``sync_s``. What the
scaler answers while looks fail is in `scaler_looks.held`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import (
    compiled_decisions,  # noqa: F401  for `decide`
    deployed_idleness,
    deployed_syncs,
    hpa_rules,
    scaler_looks,
)
from algorithms.autoscaling.deployed_idleness import Idleness
from algorithms.autoscaling.deployed_syncs import Syncs
from algorithms.autoscaling.dispatch import NO_ANSWER, Seen, check_of, decide, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.scaler_looks import COUNT, Looks
from algorithms.core.arrays import Longs
from algorithms.core.compiled import allocating_unkept


class Deployed(NamedTuple):
    """State of a counting strategy, of the scaler that runs it, and of the pod autoscaler."""

    partitions: int
    counting: Any
    """State of the strategy."""
    syncs: Syncs
    """State of the pod autoscaler."""
    looks: Looks
    """State of the scaler."""
    idleness: Idleness
    """What the scaler and KEDA know of idle times."""
    asked: Longs
    """int64[1]: what the scaler asks for, the last count or 0, `NO_ANSWER` before the first."""


def check(
    group: Group, *, counting: str, decides_s: float, look_s: float, **arguments: Any
) -> None:
    """Raise what `start` would raise."""
    of_syncs, others = deployed_syncs.parted(arguments)
    _, of_strategy = deployed_syncs.parted(others, deployed_idleness.create)
    deployed_syncs.create(group, **of_syncs)
    check_of(counting)(scaler_looks.inner_group(group, decides_s, look_s), **of_strategy)


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
    own = scaler_looks.inner_group(group, decides_s, look_s)
    return Deployed(
        partitions=group.partitions,
        syncs=deployed_syncs.create(group, **of_syncs),
        counting=import_module(counting).start(own, **of_strategy),
        looks=scaler_looks.create(group, own, look_s),
        idleness=deployed_idleness.create(group, **of_idleness),
        asked=np.full(1, NO_ANSWER),
    )


# Not cached by itself: the state of a strategy may be of a package that others cannot import.
@decides(Deployed, knows_blindness=True)
@allocating_unkept
def _decide(state: Deployed, seen: Seen, after: Longs) -> tuple[int, int]:
    looks, controller, idleness = state.looks, state.syncs.controller, state.idleness
    marks, asked = looks.marks, state.asked
    scaler_looks.read_offsets(looks, seen)
    scaler_looks.observe(looks, seen)
    deployed_idleness.note(idleness, seen.rates)
    if scaler_looks.is_look(looks, seen, True):
        has_decided = scaler_looks.is_decision(looks, seen.time)
        if has_decided:
            least, most = controller.min_replicas, controller.max_replicas
            count = marks[COUNT] if marks[COUNT] >= 0 else max(seen.replicas, least)
            own = scaler_looks.since_last_decision(looks, seen, count)
            decided, _ = decide(state.counting, own, after)
            if decided >= 0:
                count = decided
            scaler_looks.decided(looks, seen.time, count, least, most)
        asked[0] = deployed_idleness.asked(idleness, seen, marks[COUNT], asked[0], has_decided)
    is_sync = deployed_syncs.is_sync(state.syncs, seen.time)
    answer = scaler_looks.held(looks, seen.time, asked[0])
    if idleness.to_zero:
        switched = deployed_idleness.poll(idleness, seen.time, answer, seen.replicas)
        if switched >= 0 or seen.replicas == 0:
            return switched, 0
    if not is_sync or answer < 0:
        return NO_ANSWER, 0
    _, desired = hpa_rules.sync(controller, seen.time, float(answer), seen.replicas)
    return desired, 0
