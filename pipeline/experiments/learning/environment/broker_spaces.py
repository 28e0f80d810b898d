"""What environments of brokers observe, which actions they take, and their seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model
from algorithms.learning.broker_rollout import Stepped
from algorithms.learning.cluster_settings import BrokerSettings

Metrics = NDArray[np.float32]

_ACTIONS = 3
_SEEDS = 2**31


def limits_of(settings: BrokerSettings) -> Metrics:
    """Ten times the declared ranges."""
    limits: Metrics = 10.0 * np.array(broker_model.ranges(settings), np.float32)
    return limits


def spaces_of(limits: Metrics) -> tuple[spaces.Box, spaces.Discrete[Any]]:
    """Observations up to their limits; remove, keep or add a broker."""
    return spaces.Box(np.zeros_like(limits), limits, dtype=np.float32), spaces.Discrete(_ACTIONS)


def metrics_of(stepped: Stepped, limits: Metrics) -> Metrics:
    """What is observed of each cluster."""
    metrics: Metrics = np.minimum(stepped.observations, limits).astype(np.float32)
    return metrics


def drawn_root(draws: np.random.Generator) -> int:
    """Seed from which all episodes of a cluster derive."""
    return int(draws.integers(_SEEDS))


def checked_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """Actions of all clusters, or an error: NumPy would take 7 as a hop of six brokers."""
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"actions must be {count} integers (got {array.dtype} of shape {array.shape})"
        )
    if array.min() < 0 or array.max() >= _ACTIONS:
        wrong = array[(array < 0) | (array >= _ACTIONS)][0]
        raise InvalidParameterError(
            f"actions must be 0 (remove a broker), 1 (keep all) or 2 (add one) (got {wrong})"
        )
    return array.astype(np.int64)
