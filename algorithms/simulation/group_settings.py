"""Settings of a simulated consumer group, and the checks of all arguments before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from algorithms.assignment import assignors
from algorithms.autoscaling.group_defaults import (
    BATCH_COMMIT_S,
    DEFAULTS,
    INCREMENTAL_HEARTBEAT_S,
    PAPER_GROUP,
    GroupSettings,
)
from algorithms.autoscaling.number_checks import check_number, check_switch
from algorithms.autoscaling.scaled_group import PROTOCOLS, Group
from algorithms.core.arrays import Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError

__all__ = [
    "BATCH_COMMIT_S",
    "DEFAULTS",
    "INCREMENTAL_HEARTBEAT_S",
    "PAPER_GROUP",
    "GroupSettings",
    "check_settings",
    "check_totals",
    "check_workload",
    "group_of",
]

ARRIVALS = ("uniform", "burst")
OBSERVED = ("last", "now")

MIN_STEP_S = 1e-6
"""Shortest step, in s: times that are closer than a thousandth of it count as one instant."""

MAX_REPLICAS = 1_000_000

MAX_WINDOW = 1_000_000
"""Most steps between two decisions: a strategy sees the events of each."""

MAX_SERVICE_CV = 100.0

MIN_COMMIT_S = 0.01
"""Shortest time between commits, in s, where they are simulated."""

MAX_COUNT = 2**31 - 1
"""Greatest ``max_poll_records`` and ``placement_draw``."""

MAX_DRAIN_STEPS = 1_000_000
"""Most steps after the last one if service times vary: rates are drawn for each."""

_EXACT = 1e-9


def check_workload(rates: Any) -> Floats:
    """Return rates as a contiguous ``float64[N, P]``, or raise if they are invalid.

    Raises
    ------
    InvalidParameterError
        If they are ragged or empty, or a rate is negative or not finite.
    """
    try:
        given = np.require(rates, np.float64, ["C", "W"])
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"rates must be numbers, one row per step and one column per partition ({error})"
        ) from None
    if given.ndim != 2 or given.size == 0:
        raise InvalidParameterError(
            f"rates must have shape (steps, partitions), both at least 1 (got {np.shape(given)})"
        )
    wrong = ~(np.isfinite(given) & (given >= 0.0))
    if wrong.any():
        k, p = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidParameterError(
            f"rates[{k}, {p}] must be finite and at least 0 events/s (got {given[k, p]})"
        )
    return given


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

    Parameters
    ----------
    settings : mapping, optional
        Values that differ from the defaults of `GroupSettings`.
    partitions : int
        Number of partitions P.
    decision_s, observe : float, str or None
        Defaults of the strategy.

    Raises
    ------
    InvalidParameterError
        If a name is unknown or a value is out of bounds; the message names it.
    """
    given = dict(settings or {})
    known = [field.name for field in fields(GroupSettings)]
    for name in given:
        if name not in known:
            raise InvalidParameterError(
                f"unknown setting {name!r}; choose one of {', '.join(known)}"
            )
    slow = given.get("protocol") == "incremental"
    defaults = {
        "max_replicas": partitions,
        "decision_s": decision_s,
        "observe": observe or "last",
        "heartbeat_s": INCREMENTAL_HEARTBEAT_S if slow else DEFAULTS["heartbeat_s"],
    }
    for name, value in defaults.items():
        if given.get(name) is None:
            given[name] = value
    return _checked(GroupSettings(**given))


def _checked(settings: GroupSettings) -> GroupSettings:
    values = asdict(settings)
    numbers: dict[str, Any] = {
        name: check_number(name, values[name], above=0.0) for name in ("mu", "wsla_s", "decision_s")
    }
    numbers["step_s"] = check_number("step_s", settings.step_s, at_least=MIN_STEP_S)
    for name in (
        "startup_s",
        "heartbeat_s",
        "rebalance_s",
        "assignment_interval_s",
        "move_pause_s",
        "session_s",
        "commit_s",
        "decision_offset_s",
        "cooldown_s",
        "shared_limit",
        "drain_limit_s",
    ):
        numbers[name] = check_number(name, values[name], at_least=0.0)
    numbers["service_cv"] = check_number(
        "service_cv", settings.service_cv, at_least=0.0, at_most=MAX_SERVICE_CV
    )
    numbers["second_heartbeat_s"] = check_number(
        "second_heartbeat_s", settings.next_heartbeat_s, at_least=0.0
    )
    for name in ("poisson", "static_members", "leave_on_close"):
        numbers[name] = check_switch(name, values[name])
    for name in ("max_poll_records", "placement_draw"):
        numbers[name] = check_count(name, values[name], 0, MAX_COUNT)
    _check_names(settings)
    checked = replace(settings, **numbers, seed=check_seed(settings.seed))
    if 0.0 < checked.commit_s < MIN_COMMIT_S:
        raise InvalidParameterError(
            f"commit_s must be 0 or at least {MIN_COMMIT_S} s (got {checked.commit_s:g})"
        )
    _check_decisions(checked)
    _check_drain(checked)
    return _check_counts(checked)


def _check_names(settings: GroupSettings) -> None:
    for name, known in (
        ("protocol", PROTOCOLS),
        ("arrivals", ARRIVALS),
        ("observe", OBSERVED),
        ("assignor", assignors.names()),
    ):
        value = getattr(settings, name)
        if not isinstance(value, str) or value not in known:
            raise InvalidParameterError(f"{name} must be one of {', '.join(known)} (got {value!r})")


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


def _check_counts(settings: GroupSettings) -> GroupSettings:
    most = check_count("max_replicas", settings.max_replicas, 1, MAX_REPLICAS)
    least = check_count("min_replicas", settings.min_replicas, 0, most)
    initial = check_count("initial_replicas", settings.initial_replicas, least, most)
    return replace(settings, max_replicas=most, min_replicas=least, initial_replicas=initial)


def group_of(
    settings: GroupSettings, peaks: Floats, topics: tuple[int, ...] | None = None
) -> Group:
    """What a strategy knows of its group; `topics` are the partitions of each (None: one topic)."""
    return Group(
        partitions=peaks.size,
        mu=settings.mu,
        wsla_s=settings.wsla_s,
        step_s=settings.step_s,
        decision_s=settings.decision_s,
        rebalance_s=settings.rebalance_s,
        startup_s=settings.startup_s,
        min_replicas=settings.min_replicas,
        max_replicas=settings.max_replicas,
        initial_replicas=settings.initial_replicas,
        burst=settings.arrivals == "burst",
        seed=settings.seed,
        peaks=peaks,
        assignor=settings.assignor,
        heartbeat_s=settings.heartbeat_s,
        move_pause_s=settings.move_pause_s,
        protocol=settings.protocol,
        topics=topics or (peaks.size,),
        second_heartbeat_s=settings.next_heartbeat_s,
        assignment_interval_s=settings.assignment_interval_s,
    )
