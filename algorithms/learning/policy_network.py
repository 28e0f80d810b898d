"""Fully connected networks of policies in plain NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model, broker_rollout
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_rollout import Episodes, Rollout
from algorithms.learning.cluster_settings import BrokerSettings

Weights = tuple[NDArray[np.float32], ...]
"""W1, b1, W2, b2, ...: matrices ``float32[inputs, outputs]`` and biases ``float32[outputs]``."""

NORMALIZER = 1e-5
"""What layer normalization adds to the variance."""


def inputs_of(observations: Floats, scaling: str, brokers: BrokerSettings) -> Floats:
    """What the network gets: scaled metrics, with mean 0 and variance 1 within each observation.

    observations: float64[n, 37], metrics.
    scaling: ``ranges`` or ``raw``.
    """
    if scaling == "ranges":
        return normalized(observations / np.array(broker_model.ranges(brokers)))
    return normalized(observations)


def normalized(values: Floats) -> Floats:
    """Layer normalization without learnt gain, over the last axis."""
    centred = values - values.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    result: Floats = centred / np.sqrt(variance + NORMALIZER)
    return result


def action_values(weights: Sequence[NDArray[np.floating]], inputs: NDArray[np.floating]) -> Floats:
    """Values of all actions, ``[n, A]``, from the network's inputs; ReLU between layers."""
    layers = list(zip(weights[::2], weights[1::2], strict=True))
    hidden = inputs
    for matrix, bias in layers[:-1]:
        hidden = np.maximum(hidden @ matrix + bias, 0.0)
    values: Floats = hidden @ layers[-1][0] + layers[-1][1]
    return values


def greedy(
    weights: Weights, observations: Floats, settings: AgentSettings, brokers: BrokerSettings
) -> Longs:
    """Best action for each observation of brokers.

    observations: float64[n, 37], metrics of `algorithms.learning.broker_model.METRICS`.
    settings, brokers: Only the scaling, and the ranges, count.

    In float64; ties go to the lower action.
    """
    array = np.asarray(observations, np.float64)
    if array.ndim != 2 or array.shape[1] != weights[0].shape[0]:
        raise InvalidParameterError(
            f"observations must have shape (n, {weights[0].shape[0]}) (got {array.shape})"
        )
    values = action_values(weights, inputs_of(array, settings.scaling, brokers))
    best: Longs = values.argmax(axis=1)
    return best


def rolled(
    weights: Weights,
    brokers: BrokerSettings,
    settings: AgentSettings,
    reward: str,
    episodes: Episodes,
) -> Rollout:
    """What a network reaches in episodes when it acts greedily."""
    return broker_rollout.roll(
        brokers,
        reward,
        episodes,
        lambda seen: greedy(weights, seen.observations, settings, brokers),
    )
