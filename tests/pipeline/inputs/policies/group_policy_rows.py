"""A row of table `policies` with a policy of a consumer group, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.learning.learned_group import GroupTraining, LearnedGroup, group_agent
from pipeline.inputs.policies import group_policies, policy_content, policy_weights
from tests.algorithms.autoscaling.trained_policies import random_policy


def row(action: str = "delta", partitions: int = 5, **changes: object) -> dict[str, Any]:
    """A network with random weights, as training would store it."""
    policy = random_policy(action, partitions).policy
    settings = group_policies.settings_text(
        LearnedGroup(partitions=partitions),
        GroupTraining(action=action),
        group_agent(hidden=(16, 16)),
    )
    return {
        "run_id": "r1",
        "experiment": "groups",
        "agent": "dqn",
        "reward": "late",
        "variant": f"action={action}",
        "seed": 1,
        "environment": policy_weights.GROUP,
        "format_version": policy_weights.VERSION,
        "settings": settings,
        **policy_weights.packed(policy.weights),
        **changes,
    }


def write(folder: Path, **changes: Any) -> Path:
    """A policy's file."""
    file = folder / "policy.json"
    file.write_text(policy_content.text_of(row(**changes)))
    return file


def damaged(weights: Sequence[Any]) -> dict[str, Any]:
    """Columns of weights, the first of which is not finite."""
    return policy_weights.packed((np.full_like(weights[0], np.nan), *weights[1:]))
