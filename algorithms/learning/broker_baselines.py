"""Policies for brokers that do not need a network, on the held-out episodes."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.seeds import derive_seed
from algorithms.learning import agent_settings as settings_of_agents
from algorithms.learning import broker_model, broker_optimum, broker_rollout
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_rollout import Policy, Rollout
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import REWARDS, check_name

RATE = 0.1
"""Learning rate of the table of tabular Q-learning."""

_DOWN, _KEEP, _UP = 0, 1, 2
_CPU = broker_model.METRICS.index("cpu_mean")
_RULES = ("random", "threshold", "cpu", "q_table", "optimal")


def names(settings: BrokerSettings) -> tuple[str, ...]:
    """Names of all baselines for a cluster.

    >>> names(BrokerSettings(min_brokers=3, max_brokers=4))
    ('static_3', 'static_4', 'random', 'threshold', 'cpu', 'q_table', 'optimal')
    """
    counts = range(settings.min_brokers, settings.max_brokers + 1)
    return (*(f"static_{n}" for n in counts), *_RULES)


def run(
    brokers: BrokerSettings, agent: AgentSettings, reward: str, name: str, root: int, seed: int
) -> Rollout:
    """Run a baseline on the held-out episodes.

    ``static_n`` goes to n brokers, one per decision, and stays. ``threshold`` adds a broker if the
    95th percentile exceeds the reward's objective, and removes one below 0.8 of it. ``cpu`` adds
    one above 0.6 of the processor, and removes one below 0.4. ``q_table`` is Q-learning on the
    number of brokers alone, with as many episodes, the same discount and the same random actions as
    the agent. ``optimal`` knows the model and, with a series of loads, the future.

    brokers, agent: The cluster; the agent whose held-out episodes and training budget are used.
    reward, name: One of `REWARDS` and of `names`.
    root, seed: Root seed, and number of the agent; only ``random`` and ``q_table`` depend on the
        number.
    """
    check_name("reward", reward, REWARDS)
    check_name("baseline", name, names(brokers))
    episodes = broker_rollout.held_out(brokers, agent.held_out, root)
    policy = _policy(brokers, agent, reward, name, root, seed)
    return broker_rollout.roll(brokers, reward, episodes, policy)


def _policy(
    brokers: BrokerSettings, agent: AgentSettings, reward: str, name: str, root: int, seed: int
) -> Policy:
    if name.startswith("static_"):
        count = int(name.removeprefix("static_"))
        return lambda seen: np.sign(count - seen.brokers) + _KEEP
    if name == "random":
        draws = np.random.Generator(np.random.PCG64(derive_seed(root, "random", seed)))
        return lambda seen: draws.integers(_DOWN, _UP + 1, size=seen.brokers.size)
    if name == "optimal":
        actions = broker_optimum.plan(brokers, reward).actions
        return lambda seen: actions[seen.step, seen.brokers - brokers.min_brokers]
    if name == "q_table":
        best = _q_table(brokers, agent, reward, root, seed).argmax(axis=1)
        return lambda seen: best[seen.brokers - brokers.min_brokers]
    if name == "cpu":
        return lambda seen: _between(seen.observations[:, _CPU], 0.4, 0.6)
    limit = broker_model.objective_ms(brokers, reward)
    return lambda seen: threshold(seen.p95_ms, limit)


def threshold(p95_ms: Floats, limit_ms: float) -> Longs:
    """Actions of ``threshold``: add a broker above the objective, remove one below 0.8 of it."""
    return _between(p95_ms, 0.8 * limit_ms, limit_ms)


def _between(values: Floats, low: float, high: float) -> Longs:
    """Add a broker above a band, remove one below it."""
    return np.where(values > high, _UP, np.where(values < low, _DOWN, _KEEP))


def _q_table(
    brokers: BrokerSettings, agent: AgentSettings, reward: str, root: int, seed: int
) -> Floats:
    """Values of tabular Q-learning (Watkins 1989), ``float64[B, 3]``."""
    draws = np.random.Generator(np.random.PCG64(derive_seed(root, "q_table", seed)))
    episodes = broker_rollout.episodes(brokers, root, range(seed, seed + 1), range(agent.episodes))
    epsilons = settings_of_agents.epsilons(agent, agent.episodes * brokers.steps)
    table = np.zeros((brokers.counts, 3))
    for e in range(agent.episodes):
        count = episodes.starts[e : e + 1]
        for k in range(brokers.steps):
            forced = e < agent.random_episodes and k < agent.random_first
            action = int(draws.integers(_DOWN, _UP + 1))
            if draws.random() >= epsilons[e * brokers.steps + k] and not forced:
                action = int(table[count[0] - brokers.min_brokers].argmax())
            noise = episodes.noise[e : e + 1, k + 1]
            stepped = broker_rollout.step(brokers, reward, count, np.array([action]), k, noise)
            row = table[count[0] - brokers.min_brokers]
            later = table[stepped.brokers[0] - brokers.min_brokers].max()
            row[action] += RATE * (stepped.rewards[0] + agent.gamma * later - row[action])
            count = stepped.brokers
    return table
