"""Policies of consumer groups as files: what `dqn` runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from algorithms.autoscaling.trained import group_inputs, trained_policy
from algorithms.autoscaling.trained.trained_policy import TrainedPolicy
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.learned_group import GroupTraining, LearnedGroup, check_learned_group
from algorithms.learning.learning_names import AGENTS
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.policies import policy_content, policy_weights

INPUTS = "inputs"
"""Key of the settings that says how what a network observes is scaled."""

_SETTINGS = {
    *(
        field.name
        for model in (LearnedGroup, GroupTraining, AgentSettings)
        for field in fields(model)
    ),
    INPUTS,
}


def settings_text(group: LearnedGroup, training: GroupTraining, agent: AgentSettings) -> str:
    """All that a policy depends on besides its random numbers, as JSON."""
    settings = asdict(group) | asdict(training) | asdict(agent)
    return json.dumps(settings | {INPUTS: group_inputs.scaling()}, sort_keys=True)


def read(path: Path) -> TrainedPolicy:
    """Read a policy. Raises InputError if damaged, or of another version or environment."""
    return read_with_group(path)[0]


def read_with_group(path: Path) -> tuple[TrainedPolicy, LearnedGroup]:
    """Read a policy, and the group that it was trained on. Raises InputError as `read` does."""
    content = policy_content.read(path)
    try:
        policy = _checked(content)
        names = [field.name for field in fields(LearnedGroup)]
        group = LearnedGroup(**{name: content["settings"][name] for name in names})
        return policy, check_learned_group(group)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (InvalidParameterError, TypeError) as error:
        raise InputError(f"{path}: `settings`: {error}") from None


def _checked(content: Mapping[str, Any]) -> TrainedPolicy:
    policy_content.check_environment(content, policy_weights.GROUP)
    policy_content.check(content, {"agent": AGENTS})
    settings = content["settings"]
    if not isinstance(settings, dict) or settings.keys() != _SETTINGS:
        raise InputError("`settings` has other names than this version; train the policy again")
    if settings[INPUTS] != group_inputs.scaling():
        raise InputError("`settings` scales its inputs differently; train the policy again")
    layers = content["layers"]
    if not isinstance(layers, list) or not all(type(n) is int and n > 0 for n in layers):
        raise InputError(
            f"`layers` must be numbers of units (got {shown(layers)}); export it again"
        )
    weights = policy_weights.unpacked(layers, str(content["weights"]), str(content["digest"]))
    try:
        policy = TrainedPolicy(settings["action"], settings["partitions"], weights)
        return trained_policy.check_policy(policy)
    except InvalidParameterError as error:
        raise InputError(str(error)) from None
