"""Agents train to the same bits in any process, beside any others, and learn what is easy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_optimum, broker_rollout, policy_network
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.broker_training import train
from algorithms.learning.cluster_settings import BrokerSettings
from tests.algorithms.learning.weights_digest import weights_hash

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SHORT = AgentSettings(episodes=3, hidden=(16, 16), held_out=16)
PROGRAM = """
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_training import train
from algorithms.learning.cluster_settings import BrokerSettings
from tests.algorithms.learning.weights_digest import weights_hash
settings = AgentSettings(episodes=3, hidden=(16, 16), held_out=16)
print(weights_hash(*train(BrokerSettings(), settings, "dqn", "weighted", [3], 1).weights))
"""


def short(seeds, **brokers):
    return train(BrokerSettings(**brokers), SHORT, "dqn", "weighted", seeds, 1)


@pytest.fixture(scope="module")
def both():
    """Two agents, trained beside each other; each number of agents is a program to compile."""
    return short([0, 3])


@pytest.fixture(scope="module")
def alone():
    """The second of them again."""
    return short([3])


def test_a_process_that_compiles_finds_the_weights_of_one_that_may_not_after_126_updates(alone):
    compiles = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    fresh = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=compiles
    )
    assert fresh.stdout.split() == [weights_hash(*alone.weights)]


def test_what_is_compiled_is_kept_for_other_processes(both):
    assert [*Path(os.environ["JAX_COMPILATION_CACHE_DIR"]).glob("*-cache")]


def test_curves_of_a_training(both):
    assert both.returns.shape == both.greedy_moves.shape == (2, 3)
    for curve in both[:7]:
        assert np.isfinite(curve).all()
    assert both.epsilons[0] == pytest.approx([1.0 - 0.9 * 44 / 67.5, 0.1, 0.1])
    assert [array.shape for array in both.weights[0]] == [
        (37, 16), (16,), (16, 16), (16,), (16, 3), (3,),
    ]  # fmt: skip
    assert weights_hash(both.weights[0]) != weights_hash(both.weights[1])


def test_the_judged_returns_are_those_of_the_plain_policy(alone):
    # Networks of float32 and float64 may choose differently where two actions are worth the same.
    episodes = broker_rollout.held_out(BrokerSettings(), SHORT.held_out, 1)
    rollout = broker_rollout.roll(
        BrokerSettings(),
        "weighted",
        episodes,
        lambda seen: policy_network.greedy(alone.weights[0], seen.observations, SHORT),
    )
    assert rollout.returns.mean() == pytest.approx(alone.greedy_returns[0, -1], rel=0.01)
    assert rollout.brokers.mean() == pytest.approx(alone.greedy_brokers[0, -1], rel=0.01)
    assert rollout.moves.mean() == pytest.approx(alone.greedy_moves[0, -1], rel=0.02)
    assert rollout.over.mean() == pytest.approx(alone.greedy_over[0, -1], abs=0.005)


def test_an_agent_does_not_depend_on_those_beside_it(alone, both):
    np.testing.assert_allclose(alone.returns[0], both.returns[1])
    np.testing.assert_allclose(alone.weights[0][0], both.weights[1][0], atol=1e-4)


def test_future_loads_change_no_earlier_reward(alone):
    calm = short([3], load=(*BrokerSettings().loads()[:-1], 0.1))
    # Only the reward of the first episode's last step, which is between -1 and 0, can differ.
    assert 0.0 < calm.returns[0, 0] - alone.returns[0, 0] <= 1.0


def test_a_long_training_learns_the_simplest_reward():
    settings = AgentSettings(
        episodes=60, hidden=(32,), replay=2000, batch=32, target_every=50, gamma=0.9,
        learning_rate=1e-3, held_out=64, evaluate_every=60,
    )  # fmt: skip
    run = train(BrokerSettings(), settings, "double_dqn", "count", range(3), 1)
    starts = broker_rollout.held_out(BrokerSettings(), 64, 1).starts
    worst = broker_optimum.random_values(BrokerSettings(), "count")[starts - 3].mean()
    best = broker_optimum.optimum(BrokerSettings(), "count")[starts - 3].mean()
    assert (run.greedy_returns[:, -1] - worst).max() / (best - worst) > 0.9
    assert np.isnan(run.greedy_returns[:, :-1]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch": 43}, "batch must be between 1 and 42"),
        ({"optimizer": "sgd"}, "unknown optimizer 'sgd'; choose one of rmsprop, adam"),
        ({"scaling": "log"}, "unknown scaling 'log'"),
        ({"learning_rate": float("nan")}, "learning_rate must"),
        ({"hidden": ()}, "hidden must have at least one layer"),
    ],
)
def test_wrong_settings(change, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_agent(AgentSettings(**change))


@pytest.mark.parametrize(
    ("agent", "reward", "seeds", "message"),
    [
        ("a3c", "count", [0], "unknown agent 'a3c'; choose one of dqn, double_dqn"),
        ("dqn", "4", [0], "unknown reward '4'; choose one of count, violations, weighted"),
        ("dqn", "count", [], "seeds must have at least one number"),
        ("dqn", "count", [-1], "seed must be between 0 and"),
    ],
)
def test_wrong_arguments(agent, reward, seeds, message):
    with pytest.raises(InvalidParameterError, match=message):
        train(BrokerSettings(), AgentSettings(), agent, reward, seeds, 0)
