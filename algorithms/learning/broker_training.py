"""Training of DQN and Double DQN on brokers, all seeds side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import (
    broker_model,
    broker_rollout,
    deep_q_agent,
    deep_q_updates,
    policy_network,
)
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.deep_q_agent import ACTIONS, AgentState
from algorithms.learning.deep_q_updates import Batch
from algorithms.learning.jax_loading import Modules, load
from algorithms.learning.learning_names import AGENTS, REWARDS, check_name
from algorithms.learning.policy_network import Weights


class Training(NamedTuple):
    """S agents that were trained for E episodes."""

    returns: Floats
    losses: Floats
    epsilons: Floats
    """`returns`, `losses`, `epsilons`: float64[S, E]: sum of rewards, mean loss (NaN without an
    update), and ε at the last decision of each episode of training."""
    greedy_returns: Floats
    greedy_brokers: Floats
    greedy_over: Floats
    greedy_moves: Floats
    """`greedy_returns`, `greedy_brokers`, `greedy_over`, `greedy_moves`: float64[S, E]: means of
    the greedy policy over the held-out episodes, after each episode: return, brokers after the last
    decision, share of intervals over the objective, changes per episode. NaN where it was not
    judged. After the last episode in float64, as stored policies are judged; in float32 before, so
    that decisions between equal values may differ."""
    weights: tuple[Weights, ...]
    """The network of each seed after training."""


def train(
    brokers: BrokerSettings,
    settings: AgentSettings,
    agent: str,
    reward: str,
    seeds: Sequence[int],
    root: int,
) -> Training:
    """Train an agent once per seed.

    agent, reward: One of `AGENTS`, and one of `REWARDS`.
    seeds: Numbers of the agents. Agents with the same number start from the same weights and see
        the same noise, whatever they are and whatever is trained beside them.
    root: Seed from which all randomness derives.

    Same arguments, versions and kind of processor: the same weights, bit for bit. Imports JAX.
    """
    brokers, settings = check_brokers(brokers), check_agent(settings)
    check_name("agent", agent, AGENTS)
    check_name("reward", reward, REWARDS)
    if not len(seeds):
        raise InvalidParameterError("seeds must have at least one number (got none)")
    for seed in seeds:
        check_seed(seed)
    run = _Run(load(), brokers, settings, agent, reward)
    return _trained(run, tuple(int(seed) for seed in seeds), root)


class _Run(NamedTuple):
    modules: Modules
    brokers: BrokerSettings
    settings: AgentSettings
    agent: str
    reward: str

    @property
    def sizes(self) -> tuple[int, ...]:
        return (len(broker_model.METRICS), *self.settings.hidden, ACTIONS)

    def inputs(self, interval: broker_model.Interval, load: Any) -> Any:
        """What the network gets of an interval."""
        xp = self.modules.numpy
        metrics = broker_model.metrics_of(self.brokers, interval, load, xp)
        if self.settings.scaling == "ranges":
            metrics = metrics / xp.array(broker_model.ranges(self.brokers))
        return deep_q_updates.normalized(self.modules, metrics)

    def interval(self, count: Any, action: Any, load: Any, noise: Any) -> broker_model.Interval:
        return broker_model.interval(self.brokers, count, action, load, noise, self.modules.numpy)


def _trained(run: _Run, seeds: tuple[int, ...], root: int) -> Training:
    jax, settings = run.modules.jax, run.settings
    drawn = [_drawn(run, root, seed) for seed in seeds]
    starts, noise = (np.stack([one[i] for one in drawn]) for i in range(2))
    keys = np.stack([deep_q_agent.raw_key(root, seed) for seed in seeds])
    agents = jax.jit(
        jax.vmap(lambda key: deep_q_agent.begin(run.modules, settings, run.sizes, key))
    )(keys)
    episode = jax.jit(
        jax.vmap(lambda *each: _episode(run, *each), in_axes=(0, 0, 0, None, None)),
        donate_argnums=0,
    )
    judge = jax.jit(lambda weights, s, z: jax.lax.map(lambda w: _judge(run, w, s, z), weights))
    held = broker_rollout.held_out(run.brokers, settings.held_out, root)
    held_out = (held.starts.astype(np.int32), held.noise.astype(np.float32))
    epsilons, forced = deep_q_agent.schedule(settings, run.brokers.steps)
    curves = np.full((7, len(seeds), settings.episodes), np.nan)
    for e in range(settings.episodes):
        agents, (returns, losses) = episode(
            agents, starts[:, e], noise[:, e], epsilons[e], forced[e]
        )
        curves[:3, :, e] = returns, losses, np.full(len(seeds), epsilons[e, -1])
        if (e + 1) % settings.evaluate_every == 0 and e + 1 < settings.episodes:
            curves[3:, :, e] = judge(agents.learner.online, *held_out)
    weights = [np.asarray(array) for array in agents.learner.online]
    per_seed = tuple(tuple(array[i].copy() for array in weights) for i in range(len(seeds)))
    for i, own in enumerate(per_seed):
        rollout = policy_network.rolled(own, run.brokers, settings, run.reward, held)
        curves[3:, i, -1] = [values.mean() for values in rollout]
    return Training._make([*curves, per_seed])


def _drawn(run: _Run, root: int, seed: int) -> tuple[Any, Any]:
    """Starts and noise of all episodes of one agent."""
    drawn = broker_rollout.episodes(
        run.brokers, root, range(seed, seed + 1), range(run.settings.episodes)
    )
    return drawn.starts.astype(np.int32), drawn.noise.astype(np.float32)


def _episode(
    run: _Run, agent: AgentState, start: Any, noise: Any, epsilons: Any, forced: Any
) -> tuple[AgentState, Any]:
    """One episode of one agent: what it carries on, sum of its rewards and mean loss."""
    agent, rewards, losses = _decisions(run, agent, start, noise, epsilons, forced)
    return agent, (rewards.sum(), run.modules.numpy.nanmean(losses))


def _decisions(
    run: _Run, agent: AgentState, start: Any, noise: Any, epsilons: Any, forced: Any
) -> tuple[AgentState, Any, Any]:
    """All decisions of an episode: decide, observe, store, learn; rewards and losses by step."""
    xp = run.modules.numpy
    loads = xp.array(run.brokers.loads(), xp.float32)
    first = run.interval(start, xp.int32(1), loads[0], noise[0])
    ends = xp.zeros(run.brokers.steps).at[-1].set(float(run.settings.time_limit_ends))

    def decide(carried: Any, step: Any) -> Any:
        agent, count, inputs = carried
        load, row, epsilon, random, end = step
        key, choosing, sampling = run.modules.jax.random.split(agent.key, 3)
        action = deep_q_agent.choose(run.modules, agent.learner, inputs, choosing, epsilon, random)
        brought = run.interval(count, action, load, row)
        following = run.inputs(brought, load)
        reward = broker_model.reward_of(
            run.brokers, run.reward, brought.brokers, brought.p95_ms, xp
        )
        replay = deep_q_updates.store(
            run.modules, agent.replay, Batch(inputs, action, reward, following, end)
        )
        learner, loss = deep_q_agent.learn(
            run.modules, run.settings, run.agent, agent.learner, replay, sampling
        )
        return (AgentState(learner, replay, key), brought.brokers, following), (reward, loss)

    begun = (agent, start, run.inputs(first, loads[0]))
    steps = (loads, noise[1:], epsilons, forced, ends)
    (agent, _, _), (rewards, losses) = run.modules.jax.lax.scan(decide, begun, steps)
    return agent, rewards, losses


def _judge(run: _Run, weights: Any, starts: Any, noise: Any) -> Any:
    """Mean return, last brokers, share over the objective and moves of the greedy policy."""
    xp = run.modules.numpy
    loads = xp.array(run.brokers.loads(), xp.float32)
    limit = broker_model.objective_ms(run.brokers, run.reward)

    def decide(carried: Any, step: Any) -> Any:
        count, inputs = carried
        load, rows = step
        values = deep_q_updates.action_values(run.modules, weights, inputs)
        brought = run.interval(count, values.argmax(axis=-1).astype(xp.int32), load, rows)
        reward = broker_model.reward_of(
            run.brokers, run.reward, brought.brokers, brought.p95_ms, xp
        )
        figures = (reward.mean(), (brought.p95_ms > limit).mean(), brought.moved.mean())
        return (brought.brokers, run.inputs(brought, load)), figures

    first = run.interval(starts, xp.ones_like(starts), loads[0], noise[:, 0])
    begun = (starts, run.inputs(first, loads[0]))
    (last, _), (rewards, over, moves) = run.modules.jax.lax.scan(
        decide, begun, (loads, xp.moveaxis(noise, 1, 0)[1:])
    )
    return rewards.sum(), last.mean(), over.mean(), moves.sum()
