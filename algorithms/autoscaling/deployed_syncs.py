"""The pod autoscaler behind a count that KEDA hands to it: when it syncs, and by what rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import hpa_rules
from algorithms.autoscaling.hpa_rules import Controller
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.scaling_policies import Behaviour
from algorithms.core.arrays import Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

# Times that differ by less are equal.
_ROUNDING_S = 1e-8
_TARGET = 1.0


class Syncs(NamedTuple):
    """State of the pod autoscaler."""

    controller: Controller
    passed: Longs
    """int64[1]: number of the last sync that was due, -1 before the first."""
    sync_s: float
    phase_s: float
    """`sync_s`, `phase_s`: time between syncs, and time of the first one, seconds."""


def create(
    group: Group,
    sync_s: float,
    phase_s: float,
    tolerance_up: float,
    tolerance_down: float,
    scale_up: Behaviour,
    scale_down: Behaviour,
) -> Syncs:
    """State before the first sync.

    sync_s, phase_s: Time between syncs of the pod autoscaler, and of the first one, seconds.
    tolerance_up, tolerance_down, scale_up, scale_down: As in
        `algorithms.autoscaling.hpa.HorizontalPodAutoscaler`, whose target is 1.
    Raises InvalidParameterError if `phase_s` is not below `sync_s`.

    Each decision of the group is a moment at which a sync may be due: times between syncs are
    rounded up to decisions.
    """
    if not phase_s < sync_s:
        raise InvalidParameterError(
            f"phase_s must be below sync_s, {sync_s:g} s (got {phase_s:g}); lower it"
        )
    controller = hpa_rules.create(
        max(group.min_replicas, 1),
        group.max_replicas,
        _TARGET,
        tolerance_up,
        tolerance_down,
        scale_up,
        scale_down,
    )
    return Syncs(
        controller=hpa_rules.sized(controller, max(sync_s, group.decision_s)),
        passed=np.full(1, -1),
        sync_s=sync_s,
        phase_s=phase_s,
    )


def parted(
    arguments: Mapping[str, Any], taker: Callable[..., Any] = create
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments that a function takes besides its first, and all others."""
    taken = tuple(signature(taker).parameters)[1:]
    own = {name: value for name, value in arguments.items() if name in taken}
    return own, {name: value for name, value in arguments.items() if name not in taken}


@kernel
def is_due(passed: Longs, place: int, time: float, interval_s: float) -> bool:
    """Whether a multiple of an interval has passed since the last time that one had."""
    number = int(np.floor((time + _ROUNDING_S) / interval_s))
    if number <= passed[place]:
        return False
    passed[place] = number
    return True


@kernel
def is_sync(syncs: Syncs, time: float) -> bool:
    """Whether a sync is due at the time of a decision."""
    return is_due(syncs.passed, 0, time - syncs.phase_s, syncs.sync_s)
