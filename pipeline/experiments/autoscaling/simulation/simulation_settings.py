"""Settings of a simulation, as options of a command give them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_settings import (
    BATCH_COMMIT_S,
    DEFAULTS,
    MAX_REPLICAS,
    MIN_COMMIT_S,
    MIN_STEP_S,
    GroupSettings,
    check_settings,
)
from pipeline.base.errors import InputError
from pipeline.base.text import quantities
from pipeline.experiments.autoscaling.workloads.workload_source import PROFILE_KEYS

GROUP_KEYS = tuple(field.name for field in fields(GroupSettings))
KEYS = (*GROUP_KEYS, *PROFILE_KEYS)
"""Keys of ``--set``."""

_BY_WORKLOAD = ("max_replicas", "decision_s", "decision_offset_s", "observe")
"""Settings whose bounds or defaults depend on the workload or the strategy."""


class GivenSettings(NamedTuple):
    """Settings that differ from the defaults."""

    group: dict[str, Any]
    """Those of `GroupSettings`."""
    workload: dict[str, Any]
    """Those of the workload; ``step_s`` is in both."""


def from_options(options: Sequence[str]) -> GivenSettings:
    """Settings of ``--set KEY=VALUE``; the last value of a key counts.

    A value is JSON, else a text; ``null`` stands for the default, so such a key is left out.

    Raises InputError if an option has another form or an unknown key.
    """
    settings: dict[str, Any] = {}
    for option in options:
        key, sign, text = (part.strip() for part in option.partition("="))
        if not (key and sign and text):
            raise InputError(f"--set {option}: must have the form KEY=VALUE, such as --set mu=500")
        if key not in KEYS:
            raise InputError(f"--set {option}: unknown key; must be one of {', '.join(KEYS)}")
        value = _value(text)
        settings[key] = _rate(option, value) if key == "mu" and isinstance(value, str) else value
    settings = {key: value for key, value in settings.items() if value is not None}
    return GivenSettings(
        {key: value for key, value in settings.items() if key in GROUP_KEYS},
        {key: value for key, value in settings.items() if key in (*PROFILE_KEYS, "step_s")},
    )


def _rate(option: str, text: str) -> float:
    try:
        return quantities.amount(text)
    except ValueError as error:
        raise InputError(f"--set {option}: `mu` {error}") from None


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


AUTO, BATCH = "auto", "batch"
"""Words of ``--commits``: Kafka's own commits at its default interval; one after each batch."""


def commit_s(text: str) -> float:
    """The setting ``commit_s`` for ``--commits auto|batch|SECONDS``.

    Raises InputError if it is neither a word nor a time that can be simulated.

    >>> commit_s("auto"), commit_s("batch"), commit_s("1.5")
    (5.0, 0.1, 1.5)
    """
    words = {AUTO: float(DEFAULTS["commit_s"]), BATCH: BATCH_COMMIT_S}
    if text in words:
        return words[text]
    try:
        seconds = check_number("commit_s", float(text), at_least=MIN_COMMIT_S)
    except (ValueError, AlgorithmError):
        raise InputError(
            f"--commits {text}: must be {AUTO} (Kafka's default, {words[AUTO]:g} s), {BATCH} "
            f"(after each batch), or the seconds between commits, at least {MIN_COMMIT_S:g}"
        ) from None
    return seconds


def with_options(settings: GivenSettings, commits: str | None, limit: str | None) -> GivenSettings:
    """The settings with ``--commits`` and ``--shared-limit``, or InputError if ``--set`` too."""
    own: dict[str, Any] = {}
    if commits is not None:
        own["commit_s"] = commit_s(commits)
    if limit is not None:
        own["shared_limit"] = _limit(limit)
    for key, option in (("commit_s", "--commits"), ("shared_limit", "--shared-limit")):
        if key in own and key in settings.group:
            raise InputError(f"{option} contradicts --set {key}; leave out one")
    return settings._replace(group={**settings.group, **own})


def _limit(text: str) -> float:
    try:
        return check_number("shared_limit", quantities.amount(text), above=0.0)
    except (ValueError, AlgorithmError):
        raise InputError(
            f"--shared-limit {text}: must be a rate above 0, such as 2000 or 2k/s"
        ) from None


def check_alone(group: Mapping[str, Any]) -> GroupSettings:
    """Check settings of a group before its workload is read.

    Raises InputError if a value is out of bounds in any group. Those whose bounds depend on the
        workload or the strategy are checked when the group starts.
    """
    free = {key: value for key, value in group.items() if key not in _BY_WORKLOAD}
    try:
        # The time between decisions is not known yet; a step always is a multiple of itself.
        step_s = check_number("step_s", free.get("step_s", 1.0), at_least=MIN_STEP_S)
        return check_settings(free, MAX_REPLICAS, step_s, None)
    except AlgorithmError as error:
        raise InputError(str(error)) from error
