"""Inputs that decide nothing are found by replacing them, and their weights are measured."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.learning import broker_rollout, input_ablation
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.policy_network import Weights

pytestmark = pytest.mark.unit

BROKERS, AGENT = BrokerSettings(), AgentSettings(hidden=(8,), held_out=2)
EPISODES = broker_rollout.held_out(BROKERS, 2, root=3)


def network(first: np.ndarray) -> Weights:
    """Output 0 is the first hidden unit, outputs 1 and 2 are 0.1."""
    outputs = np.zeros((first.shape[1], 3), np.float32)
    outputs[0, 0] = 1.0
    return (
        first.astype(np.float32),
        np.zeros(first.shape[1], np.float32),
        outputs,
        np.array([0.0, 0.1, 0.1], np.float32),
    )


def test_only_inputs_that_turn_a_decision_are_significant() -> None:
    first = np.zeros((3, 2))
    first[0, 0], first[1, 1] = 1.0, 5.0
    inputs = np.array([[0.0, 1.0, 7.0], [0.05, 0.0, 8.0], [1.0, 3.0, 9.0], [0.0, 2.0, 6.0]])
    # The mean 0.26 of the first input is above 0.1: three of four decisions turn.
    assert input_ablation.changed(network(first), inputs).tolist() == [0.75, 0.0, 0.0]


def test_the_weight_is_relative_to_that_before_training() -> None:
    """64 weights of an input have variance 2/(37 + 64) before training."""
    draws = np.random.default_rng(5).uniform(-1.0, 1.0, (37, 64)) * np.sqrt(6.0 / (37 + 64))
    silent = network(draws)
    silent = (*silent[:2], np.zeros_like(silent[2]), silent[3])
    expected = np.linalg.norm(silent[0], axis=1).mean() / np.sqrt(64 * 2.0 / (37 + 64))

    def measured(scale: float) -> float:
        weights = (silent[0] * np.float32(scale), *silent[1:])
        return input_ablation.idle_weight(weights, BROKERS, AGENT, "count", EPISODES)

    assert measured(1.0) == pytest.approx(expected, rel=1e-6)
    assert measured(1.0) == pytest.approx(1.0, abs=0.05)
    assert measured(0.25) == pytest.approx(expected / 4.0, rel=1e-6)


def test_nothing_is_measured_where_every_input_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_ablation, "changed", lambda *_: np.full(37, 0.5))
    idle = input_ablation.idle_weight(network(np.ones((37, 8))), BROKERS, AGENT, "count", EPISODES)
    assert np.isnan(idle)
