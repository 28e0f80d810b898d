"""Settings of a simulated consumer group, and the checks of all arguments before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.autoscaling.group_defaults import (
    BATCH_COMMIT_S,
    DEFAULTS,
    PAPER_GROUP,
    GroupSettings,
)
from algorithms.autoscaling.scaled_group import Group
from algorithms.core.arrays import Floats
from algorithms.core.group_declarations import MAX_REPLICAS, MIN_STEP_S
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import declared, shared
from algorithms.core.setting_checks import checked

__all__ = [
    "BATCH_COMMIT_S",
    "DEFAULTS",
    "MAX_REPLICAS",
    "MIN_STEP_S",
    "PAPER_GROUP",
    "GroupSettings",
    "check_settings",
    "check_totals",
    "check_workload",
    "group_of",
]

MAX_WINDOW = 1_000_000
"""Most steps between two decisions: a strategy sees the events of each."""

MIN_COMMIT_S = 0.01
"""Shortest time between commits, in s, where they are simulated."""

MAX_DRAIN_STEPS = 1_000_000
"""Most steps after the last one if service times vary: rates are drawn for each."""

_EXACT = 1e-9


def check_workload(rates: Any) -> Floats:
    """Return rates as a contiguous ``float64[N, P]``, or raise if they are invalid."""
    try:
        array = np.require(rates, np.float64, ["C", "W"])
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"rates must be numbers, one row per step and one column per partition ({error})"
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InvalidParameterError(
            f"rates must have shape (steps, partitions), both at least 1 (got {np.shape(array)})"
        )
    wrong = ~(np.isfinite(array) & (array >= 0.0))
    if wrong.any():
        k, p = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidParameterError(
            f"rates[{k}, {p}] must be finite and at least 0 events/s (got {array[k, p]})"
        )
    return array


def check_totals(rates: Floats, settings: GroupSettings) -> None:
    """Raise `InvalidParameterError` if all steps may have more events than a float can count.

    That is, if the greatest total rate in all steps, times the longest time that an event can
    wait, is not finite. Shorter times count as 1 s.
    """
    with np.errstate(over="ignore"):
        totals = rates.sum(axis=1)
        k = int(totals.argmax())
        end_s = rates.shape[0] * settings.step_s
        waits_s = max(end_s + settings.drain_limit_s, 1.0)
        waited_s = float(totals[k]) * max(end_s, 1.0) * waits_s
    if not np.isfinite(waited_s):
        raise InvalidParameterError(
            f"rates[{k}] must add up to fewer events/s: with as many in {end_s:g} s and "
            f"drain_limit_s {settings.drain_limit_s:g}, events × s must be at most "
            f"{np.finfo(np.float64).max:.2g} (got {totals[k]:g} events/s); lower one of them"
        )


def check_settings(
    settings: Mapping[str, Any] | None, partitions: int, decision_s: float, observe: str | None
) -> GroupSettings:
    """Complete and check the settings of a group.

    decision_s, observe: Defaults of the strategy.
    """
    own = dict(settings or {})
    names = declared(GroupSettings)
    for name in own:
        if name not in names:
            raise InvalidParameterError(
                f"unknown setting {name!r}; choose one of {', '.join(names)}"
            )
    defaults = {
        "max_replicas": partitions,
        "decision_s": decision_s,
        "observe": observe or "last",
    }
    for name, value in defaults.items():
        if own.get(name) is None:
            own[name] = value
    return _checked(GroupSettings(**own))


def _checked(settings: GroupSettings) -> GroupSettings:
    plain = checked(settings)
    plain = replace(
        plain, heartbeat_s=plain.first_heartbeat_s, second_heartbeat_s=plain.next_heartbeat_s
    )
    if 0.0 < plain.commit_s < MIN_COMMIT_S:
        raise InvalidParameterError(
            f"commit_s must be 0 or at least {MIN_COMMIT_S} s (got {plain.commit_s:g})"
        )
    _check_decisions(plain)
    _check_drain(plain)
    return plain


def _check_decisions(settings: GroupSettings) -> None:
    step_s, decision_s = settings.step_s, settings.decision_s
    steps = decision_s / step_s
    if round(steps) < 1 or abs(steps - round(steps)) > _EXACT * steps:
        raise InvalidParameterError(
            f"decision_s must be a multiple of step_s, {step_s} s (got {decision_s})"
        )
    if steps > MAX_WINDOW:
        raise InvalidParameterError(
            f"decision_s must be at most {MAX_WINDOW:,} steps of {step_s} s (got {decision_s:g})"
        )
    if settings.decision_offset_s >= step_s:
        raise InvalidParameterError(
            f"decision_offset_s must be at least 0 and below step_s, {step_s} s "
            f"(got {settings.decision_offset_s})"
        )


def _check_drain(settings: GroupSettings) -> None:
    most_s = MAX_DRAIN_STEPS * settings.step_s
    if settings.service_cv > 0.0 and settings.drain_limit_s > most_s:
        raise InvalidParameterError(
            f"drain_limit_s must be at most {most_s:g} s, {MAX_DRAIN_STEPS:,} steps, where "
            f"service_cv is above 0 (got {settings.drain_limit_s:g}); lower it"
        )


def group_of(
    settings: GroupSettings,
    peaks: Floats,
    topics: tuple[int, ...] | None = None,
    means: Floats | None = None,
) -> Group:
    """What a strategy knows of its group; `topics` are the partitions of each (None: one topic)."""
    own: dict[str, Any] = {
        **shared(settings, Group._fields),
        "partitions": peaks.size,
        "burst": settings.arrivals == "burst",
        "peaks": peaks,
        "means": means,
        "topics": topics or (peaks.size,),
        "heartbeat_s": settings.first_heartbeat_s,
        "second_heartbeat_s": settings.next_heartbeat_s,
    }
    return Group(**own)
