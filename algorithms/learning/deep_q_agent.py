"""What DQN and Double DQN carry from one decision to the next, and one decision of theirs.

Training on simulated brokers does this within compiled episodes, `online_agent` step by step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from algorithms.core.seeds import derive_seed
from algorithms.learning import agent_settings as settings_of_agents
from algorithms.learning import deep_q_updates
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.deep_q_updates import Learner, Replay
from algorithms.learning.jax_loading import Modules

ACTIONS = 3


class AgentState(NamedTuple):
    """Everything that one agent carries from one decision to the next."""

    learner: Learner
    replay: Replay
    key: Any


def raw_key(root: int, seed: int) -> Any:
    """Random key of an agent, ``uint32[2]``, from its number alone."""
    value = derive_seed(root, "agent", seed)
    return np.array([value >> 32, value & 0xFFFFFFFF], dtype=np.uint32)


def schedule(settings: AgentSettings, steps: int) -> tuple[Any, Any]:
    """ε of each decision, and whether it is random anyway: ``[episodes, steps]`` each."""
    shape = (settings.episodes, steps)
    values = settings_of_agents.epsilons(settings, settings.episodes * steps)
    forced = np.zeros(shape, np.bool_)
    forced[: settings.random_episodes, : settings.random_first] = True
    return np.array(values, np.float32).reshape(shape), forced


def begin(
    modules: Modules, settings: AgentSettings, sizes: tuple[int, ...], raw: Any
) -> AgentState:
    """An agent that has seen nothing."""
    jax = modules.jax
    key, first = jax.random.split(jax.random.wrap_key_data(raw))
    weights = deep_q_updates.initial_weights(modules, first, sizes)
    moments = deep_q_updates.optimizer(modules, settings).init(weights)
    learner = Learner(weights, weights, moments, modules.numpy.int32(0))
    replay = deep_q_updates.empty_replay(modules, settings.replay, sizes[0])
    return AgentState(learner, replay, key)


def choose(
    modules: Modules, learner: Learner, inputs: Any, key: Any, epsilon: Any, forced: Any
) -> Any:
    """The best action, or with probability ε, or if forced, any."""
    jax, xp = modules.jax, modules.numpy
    uniform, which = jax.random.split(key)
    explores = forced | (jax.random.uniform(uniform) < epsilon)
    anything = jax.random.randint(which, (), 0, ACTIONS, xp.int32)
    best = deep_q_updates.action_values(modules, learner.online, inputs).argmax()
    return xp.where(explores, anything, best.astype(xp.int32))


def learn(
    modules: Modules,
    settings: AgentSettings,
    agent: str,
    learner: Learner,
    replay: Replay,
    key: Any,
) -> tuple[Learner, Any]:
    """One update once a batch is stored; the loss is NaN before."""
    xp = modules.numpy
    batch = deep_q_updates.sample(modules, replay, key, settings.batch)
    updated, loss = deep_q_updates.update(modules, settings, agent, learner, batch)
    ready = replay.stored >= settings.batch
    kept = modules.jax.tree.map(lambda new, old: xp.where(ready, new, old), updated, learner)
    return kept, xp.where(ready, loss, xp.nan)
