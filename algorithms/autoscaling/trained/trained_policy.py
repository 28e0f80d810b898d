"""Trained policies of consumer groups, and their check."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import MAX_PARTITIONS, check_count
from algorithms.core.input_errors import InvalidParameterError

ACTIONS: Final = ("target", "delta", "residual")
"""What a network's outputs stand for: the numbers of replicas 1 to P; one less, as many or one
more; or these three around the fewest replicas that would have served the recent peak in time."""

_OTHER_INPUTS = 9

_PER_COUNT = 3


class TrainedPolicy(NamedTuple):
    """A network that decides on the replicas of a consumer group."""

    action: str
    """One of `ACTIONS`."""
    partitions: int
    """Partitions P of the group that it was trained for."""
    weights: tuple[NDArray[np.float32], ...]
    """Matrices ``[inputs, outputs]`` and biases ``[outputs]`` of each layer in turn."""


class PolicyName(str):
    """A policy as the argument of a strategy: its name as it was written, with its network.

    >>> name = PolicyName("policy.json", TrainedPolicy("delta", 5, ()))
    >>> name, name.policy.action
    ('policy.json', 'delta')
    """

    policy: TrainedPolicy
    """The network."""

    def __new__(cls, name: str, policy: TrainedPolicy) -> PolicyName:
        """Attach a policy to its name."""
        self = super().__new__(cls, name)
        self.policy = policy
        return self

    def __getnewargs__(self) -> tuple[str, TrainedPolicy]:  # type: ignore[override]
        """Arguments of `__new__`, for pickling."""
        return str(self), self.policy


def inputs_of(partitions: int) -> int:
    """Number of inputs for P partitions.

    >>> inputs_of(5)
    24
    """
    return _OTHER_INPUTS + _PER_COUNT * partitions


def outputs_of(action: str, partitions: int) -> int:
    """Number of outputs for P partitions.

    >>> outputs_of("target", 5), outputs_of("delta", 5)
    (5, 3)
    """
    if action not in ACTIONS:
        raise InvalidParameterError(f"action must be one of {', '.join(ACTIONS)} (got {action!r})")
    return partitions if action == "target" else 3


def layers_of(weights: Sequence[NDArray[np.float32]]) -> list[int]:
    """Sizes of the layers, input first."""
    return [int(weights[0].shape[0]), *(int(bias.shape[0]) for bias in weights[1::2])]


def check_policy(policy: TrainedPolicy) -> TrainedPolicy:
    """Return a policy, or raise if its network does not fit its partitions and actions."""
    partitions = check_count("partitions", policy.partitions, 1, MAX_PARTITIONS)
    ends = (inputs_of(partitions), outputs_of(policy.action, partitions))
    weights = policy.weights
    layers = layers_of(weights) if weights and len(weights) % 2 == 0 else []
    shapes = [shape for a, b in pairwise(layers) for shape in ((a, b), (b,))]
    if (
        [weight.shape for weight in weights] != shapes
        or not layers
        or (layers[0], layers[-1]) != ends
    ):
        raise InvalidParameterError(
            f"a network for {partitions} partitions and the action {policy.action!r} must have "
            f"{ends[0]} inputs and {ends[1]} outputs (got layers {layers})"
        )
    if not all(np.isfinite(weight).all() for weight in weights):
        raise InvalidParameterError("weights must be finite; train the policy again")
    return policy


def check_name(name: str, value: object) -> PolicyName:
    """Return a strategy's argument that is a policy, or raise InvalidParameterError."""
    if not isinstance(value, PolicyName):
        got = "none" if value == "" else repr(value)
        raise InvalidParameterError(
            f"{name} must be the file of a trained policy, as in dqn:policies/mine.json (got {got})"
        )
    return value
