"""Agents train to the same bits in any process, beside any others, and learn what is easy."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import (
    broker_optimum,
    broker_rollout,
    broker_training,
    deep_q_agent,
    policy_network,
)
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.broker_training import train
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.jax_loading import load as load_jax
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
ON_CORES = """
import os
import sys
cores = sorted(os.sched_getaffinity(0))[: int(sys.argv[1])]
os.sched_setaffinity(0, cores)
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_training import train
from algorithms.learning.cluster_settings import BrokerSettings
from tests.algorithms.learning.weights_digest import weights_hash
settings = AgentSettings(episodes=1, held_out=4)
run = train(BrokerSettings(steps=25), settings, "double_dqn", "weighted", [3, 4], 1)
assert run.weights[0][4].shape == (128, 256)
print(len(cores), *map(weights_hash, run.weights))
"""
"""The paper's network, 16 updates on the first processors."""

THREADS = """
import os
import jax
from algorithms.learning.jax_loading import load
load()
jax.numpy.ones(3).block_until_ready()
names = [open(f"/proc/self/task/{task}/comm").read() for task in os.listdir("/proc/self/task")]
print(sum("XLAEigen" in name for name in names))
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


@pytest.mark.long
def test_a_process_that_compiles_finds_the_weights_of_one_that_may_not_after_126_updates(
    alone, tmp_path
):
    """What it compiles is kept for other processes."""
    compiles = os.environ | {"JAX_COMPILATION_CACHE_DIR": str(tmp_path)}
    fresh = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=compiles
    )
    assert fresh.stdout.split() == [weights_hash(*alone.weights)]
    assert [*tmp_path.glob("*-cache")]


def ran(program, *arguments, **variables):
    """What a program of its own prints."""
    own = {name: value for name, value in os.environ.items() if not name.endswith("_NPROC")}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=own | variables,
    )
    return done.stdout.split()


@pytest.mark.long
@pytest.mark.skipif(
    len(getattr(os, "sched_getaffinity", lambda _: ())(0)) < 2, reason="needs two processors"
)
def test_the_papers_network_has_the_same_weights_on_one_processor_and_on_two():
    """The process on two may use what one like it has compiled."""
    one, *alone = ran(ON_CORES, "1", JAX_ENABLE_COMPILATION_CACHE="false")
    two, *both = ran(ON_CORES, "2")
    assert (one, two) == ("1", "2")
    assert alone == both
    assert alone[0] != alone[1]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_one_thread_computes_also_if_jax_was_imported_before():
    assert ran(THREADS) == ["1"]


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
    episodes = broker_rollout.held_out(BrokerSettings(), SHORT.held_out, 1)
    rollout = broker_rollout.roll(
        BrokerSettings(),
        "weighted",
        episodes,
        lambda seen: policy_network.greedy(
            alone.weights[0], seen.observations, SHORT, BrokerSettings()
        ),
    )
    assert rollout.returns.mean() == alone.greedy_returns[0, -1]
    assert rollout.brokers.mean() == alone.greedy_brokers[0, -1]
    assert rollout.moves.mean() == alone.greedy_moves[0, -1]
    assert rollout.over.mean() == alone.greedy_over[0, -1]


def test_judgements_before_the_last_one_agree_with_it():
    """They are in float32, so decisions between actions of the same value may differ."""
    steady = replace(SHORT, epsilon_first=0.5, epsilon_last=0.5)
    longer, shorter = (
        train(BrokerSettings(), replace(steady, episodes=n), "dqn", "weighted", [3], 1)
        for n in (3, 2)
    )
    assert longer.returns[0, :2].tolist() == shorter.returns[0].tolist()
    for single, double in zip(longer[3:7], shorter[3:7], strict=True):
        assert single[0, 1] == pytest.approx(double[0, 1], rel=0.01, abs=0.005)


def test_an_agent_does_not_depend_on_those_beside_it(alone, both):
    np.testing.assert_allclose(alone.returns[0], both.returns[1])
    np.testing.assert_allclose(alone.weights[0][0], both.weights[1][0], atol=1e-4)


def rewards_by_step(load):
    """Rewards of the first episode, which depend on its decisions and on those loads alone."""
    brokers = BrokerSettings(load=load)
    run = broker_training._Run(load_jax(), brokers, SHORT, "dqn", "weighted")
    jax, (epsilons, forced) = run.modules.jax, deep_q_agent.schedule(SHORT, brokers.steps)
    starts, noise = broker_training._drawn(run, 1, 3)
    agent = deep_q_agent.begin(run.modules, SHORT, run.sizes, deep_q_agent.raw_key(1, 3))
    decide = jax.jit(lambda *arguments: broker_training._decisions(run, *arguments)[1])
    return np.asarray(decide(agent, starts[0], noise[0], epsilons[0], forced[0]))


def test_future_loads_change_no_earlier_reward(alone):
    loads = BrokerSettings().loads()
    changed = loads.copy()
    changed[30:] = 0.1
    rewards, others = rewards_by_step(tuple(loads)), rewards_by_step(tuple(changed))
    assert rewards.shape == (45,)
    assert rewards.sum() == pytest.approx(alone.returns[0, 0], rel=1e-5)
    # Rewards after the first ten random decisions depend on what was learnt from those before.
    assert rewards[:30].tolist() == others[:30].tolist()
    assert (rewards[30:] != others[30:]).any()


def test_a_long_training_learns_the_simplest_reward():
    settings = AgentSettings(
        episodes=60, hidden=(32,), replay=2000, batch=32, target_every=50, gamma=0.9,
        learning_rate=1e-3, held_out=64, evaluate_every=60,
    )  # fmt: skip
    run = train(BrokerSettings(), settings, "double_dqn", "count", range(3), 1)
    starts = broker_rollout.held_out(BrokerSettings(), 64, 1).starts
    worst = broker_optimum.random_values(BrokerSettings(), "count")[starts - 3].mean()
    best = broker_optimum.optimum(BrokerSettings(), "count")[starts - 3].mean()
    assert (run.greedy_returns[:, -1] - worst).min() / (best - worst) > 0.9
    assert np.isnan(run.greedy_returns[:, :-1]).all()


@pytest.mark.parametrize(
    "change",
    [
        {"batch": 43},
        {"optimizer": "sgd"},
        {"scaling": "log"},
        {"learning_rate": float("nan")},
        {"learning_rate": 1.01},
        {"hidden": ()},
    ],
)
def test_wrong_settings(change):
    (name,) = change
    with pytest.raises(InvalidParameterError, match=f"^{name} must be "):
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
