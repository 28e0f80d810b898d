"""Agents that decide step by step are those that `broker_training` trains at once."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.learning import broker_rollout, broker_training
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.online_agent import OnlineAgent

pytestmark = pytest.mark.unit

ROOT, SEED = 11, 3
BROKERS = BrokerSettings(steps=15)
# With random actions alone, rounding can change none of them.
AGENT = AgentSettings(
    episodes=2, hidden=(8, 6), random_first=15, held_out=2, evaluate_every=2, batch=4, replay=9
)


@pytest.mark.parametrize("agent", ["dqn", "double_dqn"])
def test_weights_are_those_of_training_at_once(agent: str) -> None:
    trained = broker_training.train(BROKERS, AGENT, agent, "weighted", [SEED], ROOT)
    online = OnlineAgent(BROKERS, AGENT, agent, ROOT, SEED)
    drawn = broker_rollout.episodes(BROKERS, ROOT, range(SEED, SEED + 1), range(2))
    returns = []
    for episode in range(2):
        noise = drawn.noise[episode : episode + 1].astype(np.float32)
        starts = drawn.starts[episode : episode + 1]
        seen = broker_rollout.step(BROKERS, "count", starts, np.array([1]), 0, noise[:, 0])
        rewards = []
        for step in range(BROKERS.steps):
            chosen = online.choose(seen.observations[0], episode, step)
            action = np.array([chosen.action])
            after = broker_rollout.step(
                BROKERS, "weighted", seen.brokers, action, step, noise[:, step + 1]
            )
            rewards.append(after.rewards[0])
            is_last = step + 1 == BROKERS.steps
            online.learn(
                seen.observations[0], chosen.action, rewards[-1], after.observations[0], is_last
            )
            seen = after
        returns.append(sum(rewards))
    assert returns == pytest.approx(trained.returns[0], rel=1e-4)
    stored = online.stored()
    for place, weights in enumerate(trained.weights[0]):
        np.testing.assert_allclose(stored[f"leaf_{place}"], weights, rtol=2e-3, atol=2e-5)
        assert np.abs(stored[f"leaf_{place}"]).max() > 0


def test_the_greedy_action_needs_no_draw() -> None:
    online = OnlineAgent(BROKERS, AGENT, "dqn", ROOT, SEED)
    metrics = np.linspace(0.0, 5.0, 37)
    before = online.stored()
    assert online.best(metrics) == online.best(metrics)
    after = online.stored()
    assert all(np.array_equal(before[name], after[name]) for name in before)
