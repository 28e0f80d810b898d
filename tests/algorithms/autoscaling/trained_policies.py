"""Policies with random weights, for tests."""

from __future__ import annotations

import numpy as np

from algorithms.autoscaling.trained import trained_policy
from algorithms.autoscaling.trained.trained_policy import PolicyName, TrainedPolicy


def random_policy(action: str, partitions: int = 5, seed: int = 0, hidden: int = 16) -> PolicyName:
    """A network whose outputs differ about as much as those of a trained one."""
    rng = np.random.default_rng(seed)
    sizes = (
        trained_policy.inputs_of(partitions),
        hidden,
        hidden,
        trained_policy.outputs_of(action, partitions),
    )
    weights: list[np.ndarray] = []
    for i in range(3):
        weights.append(rng.normal(0.0, sizes[i] ** -0.5, sizes[i : i + 2]).astype(np.float32))
        weights.append(rng.normal(0.0, 0.3, sizes[i + 1]).astype(np.float32))
    return PolicyName(f"random-{action}", TrainedPolicy(action, partitions, tuple(weights)))
