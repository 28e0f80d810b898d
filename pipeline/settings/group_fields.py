"""Fields of an experiment on agents that scale a consumer group."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, ValidationInfo

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.learned_group import (
    LEAST_SECONDS,
    MOST_SECONDS,
    GroupTraining,
    LearnedGroup,
    check_learned_group,
    check_training,
)
from algorithms.simulation.group_settings import DEFAULTS
from pipeline.base.text.quoting import named, shown
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, checked_by

BROKERS_SCALED, GROUP_SCALED = "brokers", "group"
"""Environments."""

LATE = "late"
"""The reward of agents on groups: replicas, and late events with a weight."""

GROUP, TRAINING = (
    {field.name: field.default for field in fields(settings) if field.name != "judged"}
    for settings in (LearnedGroup, GroupTraining)
)
"""Settings of the group and of training, with their defaults; `episodes` is for ``judged``."""

RULES = (
    *("constant", "headroom", "linear", "ds2", "keda_hpa"),
    *("least_loaded_1", "least_loaded_2", "mpc", "shadow_hedge"),
)
"""Strategies that agents on groups are compared with, the project's own one last."""

MOST_TRIALS = 20


class GroupSettings(NamedTuple):
    """Checked settings of a variant of agents on groups."""

    group: LearnedGroup
    training: GroupTraining
    agent: AgentSettings


def _checked(value: object, info: ValidationInfo) -> Any:
    """The value of a setting, if it is legal next to the defaults of the others."""
    name = str(info.field_name)
    given = {"rate_most": 1e9} if name == "rate_least" else {}
    try:
        if name in GROUP:
            return getattr(check_learned_group(LearnedGroup(**{name: value})), name)  # type: ignore[arg-type]
        return getattr(check_training(GroupTraining(**given, **{name: value})), name)  # type: ignore[arg-type]
    except (InvalidParameterError, TypeError) as error:
        raise FieldError(str(error).replace(name, f"`{name}`", 1), name) from None


def _rules(value: object) -> tuple[str, ...]:
    """Names of strategies without parameters, which trials choose."""
    from algorithms.autoscaling import strategies
    from algorithms.core.input_errors import UnknownAlgorithmError

    items = list(value) if isinstance(value, list | tuple) else [value]
    for item in items:
        if ":" in str(item):
            raise FieldError(
                "`rules` must be strategies of the project, without own functions or parameters "
                f"(got {named(item)})",
                "rules",
            )
        try:
            strategies.get(str(item))
        except (UnknownAlgorithmError, InvalidParameterError) as error:
            raise FieldError(f"`rules`: {error}", "rules") from None
    if not items or len(set(map(str, items))) < len(items) or "dqn" in items:
        raise FieldError(
            f"`rules` must be different strategies that are not trained (got {shown(value)}), such "
            f"as {','.join(RULES[:2])}",
            "rules",
        )
    return tuple(map(str, items))


_Checked = BeforeValidator(_checked)
Whole = Annotated[int, _Checked]
Number = Annotated[float, _Checked]


class GroupFields(FamilyExperiment):
    """What only agents on groups have.

    The settings of `LearnedGroup` and `GroupTraining` are explained there.

    Attributes
    ----------
    rules
        Strategies to compare the agents with.
    trials
        Parameters of each rule that are tried on the validation parts.
    trace_seconds
        Length of each generated trace.
    """

    partitions: Whole = 5
    mu: Number = DEFAULTS["mu"]
    wsla_s: Number = DEFAULTS["wsla_s"]
    rebalance_s: Number = DEFAULTS["rebalance_s"]
    weight: Number = 5.0
    late_unit: Number = 100.0
    worst: Number = 5.0
    action: Annotated[str, _Checked] = "target"
    windows: Whole = 16
    window_s: Whole = 240
    decisions: Whole = 8_000
    updates: Whole = 2
    rate_least: Number = 0.6
    rate_most: Number = 1.3
    rules: Annotated[tuple[str, ...], BeforeValidator(_rules)] = RULES
    trials: Annotated[int, checked_by(field_checks.whole, 1, MOST_TRIALS)] = 5
    trace_seconds: Annotated[int, checked_by(field_checks.whole, LEAST_SECONDS, MOST_SECONDS)] = (
        1800
    )


def group_settings(values: dict[str, Any], agent: AgentSettings, judged: int) -> GroupSettings:
    """Settings of a variant of agents on groups.

    Raises
    ------
    InvalidParameterError
        If one is out of bounds.
    """
    return GroupSettings(
        check_learned_group(LearnedGroup(**{name: values[name] for name in GROUP})),
        check_training(GroupTraining(judged=judged, **{name: values[name] for name in TRAINING})),
        agent,
    )
