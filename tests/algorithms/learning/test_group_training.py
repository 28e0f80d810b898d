"""Agents on a group train to the same bits in any process, and learn what is easy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.trained import trained_policy
from algorithms.autoscaling.trained.trained_policy import TrainedPolicy
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import deep_q_updates, group_model, group_training, policy_network
from algorithms.learning.deep_q_updates import Batch
from algorithms.learning.group_training import Parts
from algorithms.learning.jax_loading import load
from algorithms.learning.learned_group import GroupTraining, LearnedGroup, group_agent

pytestmark = [pytest.mark.unit, pytest.mark.slow]

PROGRAM = """
import os
import sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
import numpy as np
from algorithms.learning import group_training
from algorithms.learning.learned_group import GroupTraining, LearnedGroup, group_agent
from tests.algorithms.learning.weights_digest import weights_hash
rates = 200.0 + 150.0 * np.sin(np.arange(400) / 9.0)
parts = group_training.Parts((rates,), (rates[:60],))
training = GroupTraining(action="delta", windows=4, window_s=30, decisions=64, judged=2)
settings = group_agent(hidden=(64, 128, 256), replay=500)
run = group_training.train(
    LearnedGroup(), training, settings, "double_dqn", parts, [0, 1], 1
)
print(*map(weights_hash, run.weights))
"""

SMALL = GroupTraining(action="target", windows=8, window_s=40, decisions=600, judged=3)


@pytest.mark.long
def test_two_fresh_processes_find_the_same_weights_after_more_than_100_updates() -> None:
    """One may use what was compiled before, on two processors; the other compiles, on one."""
    first, second = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM, processors],
            capture_output=True,
            text=True,
            check=True,
            env=variables,
        ).stdout.split()
        for processors, variables in (
            ("2", os.environ),
            ("1", os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}),
        )
    )
    assert first == second
    assert first[0] != first[1]


def test_an_agent_learns_the_replicas_of_a_steady_load() -> None:
    """With 165 events/s two consumers are in time, one is late, and more cost more."""
    rates = np.full(400, 165.0)
    settings = group_agent(hidden=(32, 32), replay=4000, learning_rate=1e-3, gamma=0.5)
    training = GroupTraining(
        windows=8, window_s=40, decisions=600, judged=3, rate_least=1.0, rate_most=1.0
    )
    run = group_training.train(
        LearnedGroup(weight=2.0), training, settings, "dqn", Parts((rates,), (rates[:60],)), [7], 5
    )
    assert run.validated.shape == (1, 3)
    # The first second has one consumer; a rebalance follows.
    assert run.validated.max() > -0.48
    assert run.validated[0, run.kept[0]] == run.validated.max()
    assert run.epsilons[0] == pytest.approx([0.37, 0.05, 0.05], abs=0.01)
    policy = trained_policy.check_policy(TrainedPolicy("target", 5, run.weights[0]))
    state = group_model.first(LearnedGroup(), (), np)
    for _ in range(20):
        inputs = group_model.inputs_of(LearnedGroup(), state, np)
        best = policy_network.action_values(policy.weights, inputs).argmax()
        state, _ = group_model.step(LearnedGroup(), state, best + 1, np.float64(165.0), np)
    assert state.members == 2


def test_the_model_in_jax_is_the_model_in_numpy() -> None:
    modules = load()
    xp = modules.numpy
    group, rng = LearnedGroup(rebalance_s=2.0), np.random.default_rng(2)
    plain, fast = (group_model.first(group, (6,), module) for module in (np, xp))
    for _ in range(80):
        counts = rng.integers(1, 6, 6).astype(np.int32)
        rates = rng.uniform(0.0, 450.0, 6).round()
        plain, one = group_model.step(group, plain, counts, rates, np)
        fast, other = group_model.step(group, fast, xp.asarray(counts), xp.asarray(rates), xp)
        np.testing.assert_allclose(other.reward, one.reward, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        group_model.inputs_of(group, fast, xp), group_model.inputs_of(group, plain, np), atol=1e-3
    )
    assert (np.asarray(fast.members) == plain.members).all()


def test_transitions_stored_together_replace_the_oldest() -> None:
    modules = load()
    replay = deep_q_updates.empty_replay(modules, 5, 1)
    for first in (0, 3):
        numbers = np.arange(first, first + 3, dtype=np.float32)
        column = numbers[:, None]
        batch = Batch(column, numbers.astype(np.int32), numbers, column, np.zeros(3, np.float32))
        replay = deep_q_updates.store_all(modules, replay, batch)
    assert replay.rows.actions.tolist() == [5, 1, 2, 3, 4]
    assert int(replay.stored) == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": []}, "seeds must have at least one number"),
        ({"agent": "a2c"}, "unknown agent 'a2c'"),
        ({"training": GroupTraining(action="up")}, "^action must be one of"),
        (
            {"training": GroupTraining(window_s=100)},
            "window_s must be at most the length of the longest training recording, 50 s",
        ),
        (
            {"parts": Parts((np.append(np.ones(50), np.nan),), (np.ones(9),))},
            "training part must be finite .* .got nan in second 50.",
        ),
        (
            {"parts": Parts((np.ones(50),), (-np.ones(9),))},
            "validation part must be finite .* .got -1 in second 0.",
        ),
        ({"parts": Parts((np.ones((50, 2)),), (np.ones(9),))}, "got an array of shape .50, 2."),
        ({"agent_settings": group_agent(replay=10, batch=4)}, "replay must be at least windows"),
    ],
)
def test_what_cannot_be_trained_is_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "group": LearnedGroup(),
        "training": SMALL if "agent_settings" not in changes else GroupTraining(),
        "agent_settings": group_agent(),
        "agent": "dqn",
        "parts": Parts((np.ones(50),), (np.ones(9),)),
        "seeds": [1],
        "root": 1,
    }
    with pytest.raises(InvalidParameterError, match=message):
        group_training.train(**{**arguments, **changes})
