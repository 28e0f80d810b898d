"""Fields of an experiment on agents that scale a consumer group."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import declared
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.learned_group import (
    LEAST_SECONDS,
    MOST_SECONDS,
    GroupTraining,
    LearnedGroup,
    WindowTraining,
    check_learned_group,
    check_training,
)
from pipeline.base.text.quoting import named, shown
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, checked_by

BROKERS_SCALED, GROUP_SCALED = "brokers", "group"
"""Environments."""

LATE = "late"
"""The reward of agents on groups: replicas, and late events with a weight."""

RULES = (
    *("constant", "headroom", "linear", "ds2", "keda_hpa"),
    *("least_loaded_1", "least_loaded_2", "mpc", "shadow_hedge"),
)
"""Strategies that agents on groups are compared with, the project's own one last."""

MOST_TRIALS = 20


class GroupVariant(NamedTuple):
    """Checked settings of a variant of agents on groups."""

    group: LearnedGroup
    training: GroupTraining
    agent: AgentSettings


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


class GroupFields(FamilyExperiment, LearnedGroup, WindowTraining, frozen=True):
    """What only agents on groups have."""

    rules: Annotated[tuple[str, ...], BeforeValidator(_rules)] = RULES
    """Strategies that agents on groups are compared with."""
    trials: Annotated[int, checked_by(field_checks.whole, 1, MOST_TRIALS)] = 5
    """Parameters of each rule that are tried on the validation parts."""
    trace_seconds: Annotated[int, checked_by(field_checks.whole, LEAST_SECONDS, MOST_SECONDS)] = (
        1800
    )
    """Length of each generated trace, s."""


def group_settings(values: dict[str, Any], agent: AgentSettings, judged: int) -> GroupVariant:
    """Settings of a variant of agents on groups."""
    return GroupVariant(
        check_learned_group(
            LearnedGroup(**{name: values[name] for name in declared(LearnedGroup)})
        ),
        check_training(
            GroupTraining(
                judged=judged, **{name: values[name] for name in declared(WindowTraining)}
            )
        ),
        agent,
    )
