"""DQN and Double DQN, decision by decision, on whatever they scale.

The same updates as in `broker_training`, which runs whole episodes of a simulated cluster at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model, deep_q_agent, deep_q_updates, policy_network
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.deep_q_agent import ACTIONS, AgentState
from algorithms.learning.deep_q_updates import Batch
from algorithms.learning.jax_loading import load

Stored = Mapping[str, Any]
"""Arrays by name: all that an agent has learned, and what it has yet to draw."""

_KEY = "key"


class Chosen(NamedTuple):
    """What is to be done: 0 remove a broker, 1 keep them, 2 add one."""

    action: int
    explores: bool
    """Whether the action was drawn, not the best one."""


class OnlineAgent:
    """An agent; the same arguments and observations give the same decisions.

    agent: ``dqn`` or ``double_dqn``.
    root, seed: Root seed, and number of the agent.
    """

    def __init__(
        self, brokers: BrokerSettings, settings: AgentSettings, agent: str, root: int, seed: int
    ) -> None:
        self._modules = load()
        self._brokers, self._settings = brokers, settings
        sizes = (len(broker_model.METRICS), *settings.hidden, ACTIONS)
        raw = deep_q_agent.raw_key(root, seed)
        self._state = deep_q_agent.begin(self._modules, settings, sizes, raw)
        self._sampling: Any = None
        self._epsilons, self._forced = deep_q_agent.schedule(settings, brokers.steps)
        self._choose, self._learn = _compiled(settings, agent)

    def choose(self, metrics: Sequence[float] | Floats, episode: int, step: int) -> Chosen:
        """Action of a decision of the training; episodes and steps from 0."""
        self._state, self._sampling, action, explores = self._choose(
            self._state,
            self._inputs(metrics),
            self._epsilons[episode, step],
            self._forced[episode, step],
        )
        return Chosen(int(action), bool(explores))

    def best(self, metrics: Sequence[float] | Floats) -> Chosen:
        """The greedy action, in float64; ties go to the lower one."""
        weights = tuple(np.asarray(array) for array in self._state.learner.online)
        row = np.array([metrics], np.float64)
        return Chosen(
            int(policy_network.greedy(weights, row, self._settings, self._brokers)[0]), False
        )

    def learn(
        self,
        metrics: Sequence[float] | Floats,
        action: int,
        reward: float,
        following: Sequence[float] | Floats,
        is_last: bool,
    ) -> float:
        """Store what the last action brought, and update; returns the loss, NaN without an update.

        metrics, following: Before the action, and after it.
        """
        end = float(is_last and self._settings.time_limit_ends)
        one = Batch(
            self._inputs(metrics),
            np.int32(action),
            np.float32(reward),
            self._inputs(following),
            np.float32(end),
        )
        self._state, loss = self._learn(self._state, one, self._sampling)
        return float(loss)

    def stored(self) -> Stored:
        """All that it carries on: weights, target network, optimizer, replay memory and key."""
        jax = self._modules.jax
        leaves = jax.tree.leaves(self._state._replace(key=None))
        arrays = {f"leaf_{place}": np.asarray(leaf) for place, leaf in enumerate(leaves)}
        return arrays | {_KEY: np.asarray(jax.random.key_data(self._state.key))}

    def restore(self, stored: Stored) -> None:
        """Go on from what was stored.

        Raises InvalidParameterError if it is of an agent with other settings.
        """
        jax, xp = self._modules.jax, self._modules.numpy
        leaves, shape = jax.tree.flatten(self._state._replace(key=None))
        names = [f"leaf_{place}" for place in range(len(leaves))]
        if stored.keys() != {*names, _KEY} or any(
            np.shape(stored[name]) != np.shape(leaf)
            for name, leaf in zip(names, leaves, strict=True)
        ):
            raise InvalidParameterError("what was stored is of an agent with other settings")
        arrays = [
            xp.asarray(stored[name], leaf.dtype) for name, leaf in zip(names, leaves, strict=True)
        ]
        state = jax.tree.unflatten(shape, arrays)
        self._state = state._replace(key=jax.random.wrap_key_data(xp.asarray(stored[_KEY])))

    def _inputs(self, metrics: Sequence[float] | Floats) -> Any:
        scaled = policy_network.inputs_of(
            np.asarray(metrics, np.float64), self._settings.scaling, self._brokers
        )
        return scaled.astype(np.float32)


@cache
def _compiled(settings: AgentSettings, agent: str) -> tuple[Any, Any]:
    """Functions of one decision and of one update; agents with the same settings share them."""
    modules = load()
    jax = modules.jax

    def choose(state: AgentState, inputs: Any, epsilon: Any, forced: Any) -> Any:
        key, choosing, sampling = jax.random.split(state.key, 3)
        action, best = (
            deep_q_agent.choose(modules, state.learner, inputs, choosing, *often)
            for often in ((epsilon, forced), (-1.0, False))
        )
        return state._replace(key=key), sampling, action, action != best

    def learn(state: AgentState, one: Batch, sampling: Any) -> Any:
        replay = deep_q_updates.store(modules, state.replay, one)
        learner, loss = deep_q_agent.learn(
            modules, settings, agent, state.learner, replay, sampling
        )
        return AgentState(learner, replay, state.key), loss

    return jax.jit(choose), jax.jit(learn)
