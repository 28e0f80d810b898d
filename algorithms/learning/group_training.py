"""Training of DQN and Double DQN on a consumer group, all seeds side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.trained import trained_policy
from algorithms.core.arrays import Floats, Longs, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed
from algorithms.learning import agent_settings as settings_of_agents
from algorithms.learning import deep_q_updates, group_model
from algorithms.learning.agent_settings import AgentSettings, check_agent
from algorithms.learning.deep_q_updates import Batch, Learner, Replay
from algorithms.learning.jax_loading import Modules, load
from algorithms.learning.learned_group import (
    GroupTraining,
    LearnedGroup,
    check_learned_group,
    check_training,
)
from algorithms.learning.learning_names import AGENTS, check_name
from algorithms.learning.policy_network import Weights


class Parts(NamedTuple):
    """What agents are trained on and chosen by."""

    training: tuple[Floats, ...]
    validation: tuple[Floats, ...]
    """`training`, `validation`: total rates of recordings, one value per second, events/s. A window
    never crosses from one recording to the next."""


class GroupAgents(NamedTuple):
    """S agents that were judged J times."""

    rewards: Floats
    losses: Floats
    epsilons: Floats
    """`rewards`, `losses`, `epsilons`: float64[S, J]: mean reward per second of training since the
    last judgement, mean loss of its updates (NaN without an update), and ε at its last decision."""
    validated: Floats
    """float64[S, J]: mean reward per second of the greedy policy on the validation part."""
    kept: Longs
    """int64[S]: which judgement was the best, from 0: the first of equal ones."""
    weights: tuple[Weights, ...]
    """The network of each seed at that time."""


def train(
    group: LearnedGroup,
    training: GroupTraining,
    agent_settings: AgentSettings,
    agent: str,
    parts: Parts,
    seeds: Sequence[int],
    root: int,
) -> GroupAgents:
    """Train an agent once per seed, and keep the weights that are best on the validation part.

    Episodes, random first actions and scaling of the agent do not count here.
    agent: One of `AGENTS`.
    seeds: Numbers of the agents. Agents with the same number start from the same weights, and draw
        the same windows.
    root: Seed from which all randomness derives.
    Raises InvalidParameterError also if no training recording is as long as a window.

    Same arguments, versions and kind of processor: the same weights, bit for bit. Imports JAX.
    """
    group, training = check_learned_group(group), check_training(training)
    settings = check_agent(agent_settings)
    check_name("agent", agent, AGENTS)
    if settings.replay < training.windows:
        raise InvalidParameterError(
            f"replay must be at least windows, {training.windows} (got {settings.replay})"
        )
    if not len(seeds):
        raise InvalidParameterError("seeds must have at least one number (got none)")
    for seed in seeds:
        check_seed(seed)
    rates, starts = _windows(parts.training, training.window_s)
    validation = np.concatenate([_checked("validation", rates) for rates in parts.validation])
    run = _Run(load(), group, training, settings, agent)
    return _trained(run, rates, starts, validation, [int(seed) for seed in seeds], root)


def _checked(name: str, rates: Floats) -> Floats:
    values = np.asarray(rates, np.float64)
    requirement = f"rates of the {name} part must be finite and at least 0, one per second"
    if values.ndim != 1 or values.size == 0:
        raise InvalidParameterError(f"{requirement} (got an array of shape {values.shape})")
    wrong = ~(np.isfinite(values) & (values >= 0.0))
    if wrong.any():
        second = int(np.argmax(wrong))
        raise InvalidParameterError(f"{requirement} (got {values[second]:g} in second {second})")
    return values


def _windows(recordings: Sequence[Floats], window_s: int) -> tuple[Floats, Longs]:
    """All rates, one after the other, and the seconds in which a window can begin."""
    checked = [_checked("training", rates) for rates in recordings]
    ends = np.cumsum([0, *(rates.size for rates in checked)])
    starts = [
        np.arange(begin, end - window_s + 1)
        for begin, end in pairwise(ends)
        if end - begin >= window_s
    ]
    if not starts:
        raise InvalidParameterError(
            "window_s must be at most the length of the longest training recording, "
            f"{max(rates.size for rates in checked)} s (got {window_s} s)"
        )
    return np.concatenate(checked), np.concatenate(starts)


class _Run(NamedTuple):
    modules: Modules
    group: LearnedGroup
    training: GroupTraining
    settings: AgentSettings
    agent: str

    @property
    def sizes(self) -> tuple[int, ...]:
        partitions, action = self.group.partitions, self.training.action
        outputs = trained_policy.outputs_of(action, partitions)
        return (trained_policy.inputs_of(partitions), *self.settings.hidden, outputs)

    def inputs(self, state: group_model.State) -> Any:
        """What the network observes."""
        return group_model.inputs_of(self.group, state, self.modules.numpy)

    def stepped(self, state: group_model.State, output: Any, rate: Any) -> Any:
        """The group after an output of the network and a second."""
        xp = self.modules.numpy
        count = group_model.count_of(self.group, self.training.action, state, output, xp)
        return group_model.step(self.group, state, count, rate, xp)


class _Carried(NamedTuple):
    """Everything that one agent carries from one decision to the next."""

    learner: Learner
    replay: Replay
    key: Any
    groups: group_model.State
    places: Any
    left: Any
    factors: Any


def _trained(
    run: _Run, rates: Floats, starts: Longs, validation: Floats, seeds: list[int], root: int
) -> GroupAgents:
    jax, xp = run.modules.jax, run.modules.numpy
    series, begins = xp.asarray(rates, xp.float32), xp.asarray(starts, xp.int32)
    held = xp.asarray(validation, xp.float32)
    keys = np.stack([_key(root, seed) for seed in seeds])
    agents = jax.jit(jax.vmap(lambda key: _begin(run, key)))(keys)
    learn = jax.jit(
        jax.vmap(lambda agent, eps: _learn_for(run, agent, eps, series, begins), in_axes=(0, None)),
        donate_argnums=0,
    )
    judge = jax.jit(lambda weights: jax.vmap(lambda own: _judge(run, own, held))(weights))
    epsilons = np.array(
        settings_of_agents.epsilons(run.settings, run.training.decisions), np.float32
    )
    curves, best = np.full((4, len(seeds), run.training.judged), np.nan), [()] * len(seeds)
    for j, part in enumerate(np.array_split(epsilons, run.training.judged)):
        agents, (rewards, losses) = learn(agents, part)
        validated = np.asarray(judge(agents.learner.online))
        curves[:, :, j] = rewards, losses, np.full(len(seeds), part[-1]), validated
        weights = [np.asarray(array) for array in agents.learner.online]
        for i in range(len(seeds)):
            if validated[i] > np.max(curves[3, i, :j], initial=-np.inf):
                best[i] = tuple(array[i].copy() for array in weights)
    return GroupAgents._make([*curves, curves[3].argmax(axis=1), tuple(best)])


def _key(root: int, seed: int) -> Any:
    value = derive_seed(root, "group agent", seed)
    return np.array([value >> 32, value & 0xFFFFFFFF], dtype=np.uint32)


def _begin(run: _Run, raw: Any) -> _Carried:
    jax, xp, n = run.modules.jax, run.modules.numpy, run.training.windows
    key, first = jax.random.split(jax.random.wrap_key_data(raw))
    weights = deep_q_updates.initial_weights(run.modules, first, run.sizes)
    moments = deep_q_updates.optimizer(run.modules, run.settings).init(weights)
    learner = Learner(weights, weights, moments, xp.int32(0))
    replay = deep_q_updates.empty_replay(run.modules, run.settings.replay, run.sizes[0])
    groups = group_model.first(run.group, (n,), xp)
    # All windows are as long, so all end, and are drawn again, at the same time.
    left = xp.zeros(n, xp.int32)
    return _Carried(learner, replay, key, groups, left, left, xp.ones(n))


def _learn_for(
    run: _Run, agent: _Carried, epsilons: Any, rates: Any, starts: Any
) -> tuple[_Carried, Any]:
    """Decisions of one agent: decide, observe, store, learn. Mean reward and loss."""
    xp = run.modules.numpy

    def decide(agent: _Carried, epsilon: Any) -> Any:
        key, renewing, choosing, sampling = run.modules.jax.random.split(agent.key, 4)
        agent = _renewed(run, agent, renewing, starts)
        inputs = run.inputs(agent.groups)
        outputs = _choose(run, agent.learner, inputs, choosing, epsilon)
        rate = rates[agent.places] * agent.factors
        groups, second = run.stepped(agent.groups, outputs, rate)
        # The end of a window is no end of the group.
        ends = xp.zeros(run.training.windows)
        batch = Batch(inputs, outputs, second.reward, run.inputs(groups), ends)
        replay = deep_q_updates.store_all(run.modules, agent.replay, batch)
        learner, loss = _update(run, agent.learner, replay, sampling)
        places, left = agent.places + 1, agent.left - 1
        carried = _Carried(learner, replay, key, groups, places, left, agent.factors)
        return carried, (second.reward.mean(), loss)

    agent, (rewards, losses) = run.modules.jax.lax.scan(decide, agent, epsilons)
    return agent, (rewards.mean(), xp.nanmean(losses))


def _renewed(run: _Run, agent: _Carried, key: Any, starts: Any) -> _Carried:
    """Draw another window, with another factor of its rates, for each group whose own is over."""
    jax, xp, training = run.modules.jax, run.modules.numpy, run.training
    n = training.windows
    which, how_much = jax.random.split(key)
    over = agent.left <= 0
    drawn = starts[jax.random.randint(which, (n,), 0, starts.shape[0])]
    factors = jax.random.uniform(
        how_much, (n,), minval=training.rate_least, maxval=training.rate_most
    )
    fresh = group_model.first(run.group, (n,), xp)
    groups = jax.tree.map(
        lambda new, old: xp.where(over.reshape((n,) + (1,) * (old.ndim - 1)), new, old),
        fresh,
        agent.groups,
    )
    return agent._replace(
        groups=groups,
        places=xp.where(over, drawn, agent.places),
        left=xp.where(over, training.window_s, agent.left),
        factors=xp.where(over, factors, agent.factors),
    )


def _choose(run: _Run, learner: Learner, inputs: Any, key: Any, epsilon: Any) -> Any:
    jax, xp, n = run.modules.jax, run.modules.numpy, run.training.windows
    uniform, which = jax.random.split(key)
    anything = jax.random.randint(which, (n,), 0, run.sizes[-1], xp.int32)
    values = deep_q_updates.action_values(run.modules, learner.online, inputs)
    best = values.argmax(axis=-1).astype(xp.int32)
    return xp.where(jax.random.uniform(uniform, (n,)) < epsilon, anything, best)


def _update(run: _Run, learner: Learner, replay: Replay, key: Any) -> tuple[Learner, Any]:
    """Updates once a batch is stored; the mean loss is NaN before."""
    jax, xp = run.modules.jax, run.modules.numpy

    def once(learner: Learner, key: Any) -> Any:
        batch = deep_q_updates.sample(run.modules, replay, key, run.settings.batch)
        return deep_q_updates.update(run.modules, run.settings, run.agent, learner, batch)

    updated, losses = jax.lax.scan(once, learner, jax.random.split(key, run.training.updates))
    ready = replay.stored >= run.settings.batch
    kept = jax.tree.map(lambda new, old: xp.where(ready, new, old), updated, learner)
    return kept, xp.where(ready, losses.mean(), xp.nan)


def _judge(run: _Run, weights: Any, rates: Any) -> Any:
    """Mean reward per second of the greedy policy."""
    xp = run.modules.numpy

    def decide(state: group_model.State, rate: Any) -> Any:
        values = deep_q_updates.action_values(run.modules, weights, run.inputs(state))
        state, second = run.stepped(state, values.argmax(axis=-1).astype(xp.int32), rate)
        return state, second.reward

    _, rewards = run.modules.jax.lax.scan(decide, group_model.first(run.group, (), xp), rates)
    return rewards.mean()
