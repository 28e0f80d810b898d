"""A policy decides in the shared simulator as in the model that it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.learning import group_model, policy_network
from algorithms.learning.learned_group import LearnedGroup
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.autoscaling.trained_policies import random_policy

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SECONDS = 150


def rates_of(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    level = rng.uniform(40.0, 450.0, SECONDS // 15).repeat(15)
    return np.floor(level * rng.uniform(0.8, 1.2, SECONDS))


def rolled(group: LearnedGroup, name: Any, rates: Any) -> tuple[Any, float]:
    """Replica-seconds by second, and late events, under a policy; none decides at first."""
    state = group_model.first(group, (), np)
    paid, late = [], 0.0
    for k, rate in enumerate(rates):
        count: Any = state.asked
        if k:
            inputs = group_model.inputs_of(group, state, np)
            output = policy_network.action_values(name.policy.weights, inputs).argmax()
            count = group_model.count_of(group, name.policy.action, state, output, np)
        state, second = group_model.step(group, state, count, np.float64(rate), np)
        paid.append(float(second.paid_s))
        late += float(second.late)
    return paid, late


@pytest.mark.parametrize("rebalance_s", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("action", ["target", "delta", "residual"])
def test_the_simulator_agrees_with_the_model(action: str, rebalance_s: float) -> None:
    group = LearnedGroup(rebalance_s=rebalance_s)
    changes = 0
    for seed in range(4):
        rates, name = rates_of(seed), random_policy(action, seed=seed)
        workload = np.repeat(rates[:, None] / 5, 5, axis=1)
        detailed = simulate_in_detail(workload, "dqn", {"policy": name}, group.simulated)
        paid, late = rolled(group, name, rates)
        np.testing.assert_allclose(detailed.trajectory.paid_s, paid, atol=1e-9)
        assert detailed.result.sla_percent == pytest.approx(100.0 * (1.0 - late / rates.sum()))
        changes += detailed.result.n_up + detailed.result.n_down
    # Otherwise nothing was compared.
    assert changes > 20


def test_the_future_changes_no_decision() -> None:
    rates, name = rates_of(5), random_policy("target", seed=5)
    other = rates.copy()
    other[100:] = 7.0
    counts = []
    for stream in (rates, other):
        workload = np.repeat(stream[:, None] / 5, 5, axis=1)
        settings = LearnedGroup().simulated
        counts.append(
            simulate_in_detail(workload, "dqn", {"policy": name}, settings).result.replicas
        )
    assert counts[0][:101].tolist() == counts[1][:101].tolist()
    assert counts[0].tolist() != counts[1].tolist()
