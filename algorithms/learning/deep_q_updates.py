"""Networks, targets and updates of DQN and Double DQN in JAX.

Functions take `Modules` instead of importing JAX, which only a process that trains may load.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.jax_loading import Modules
from algorithms.learning.policy_network import NORMALIZER


class Batch(NamedTuple):
    """Transitions: inputs [b, I], actions, rewards [b], next inputs [b, I], ends [b] (0 or 1)."""

    inputs: Any
    actions: Any
    rewards: Any
    following: Any
    ends: Any


class Learner(NamedTuple):
    """Weights of both networks, state of the optimizer, and updates so far."""

    online: Any
    target: Any
    moments: Any
    updates: Any


class Replay(NamedTuple):
    """The last transitions, as a ring: `Batch` of R rows, and how many were ever stored."""

    rows: Batch
    stored: Any


def initial_weights(modules: Modules, key: Any, sizes: tuple[int, ...]) -> tuple[Any, ...]:
    """Xavier uniform matrices (Glorot and Bengio 2010) and zero biases, as float32."""
    jax, xp = modules.jax, modules.numpy
    weights: list[Any] = []
    for i, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        limit = (6.0 / (fan_in + fan_out)) ** 0.5
        drawn = jax.random.uniform(jax.random.fold_in(key, i), (fan_in, fan_out), minval=-1.0)
        weights += [limit * drawn, xp.zeros(fan_out)]
    return tuple(weights)


def normalized(modules: Modules, values: Any) -> Any:
    """Layer normalization without learnt gain, over the last axis."""
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred / modules.numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + NORMALIZER)


def action_values(modules: Modules, weights: Any, inputs: Any) -> Any:
    """Values of all actions, ReLU between layers."""
    hidden = inputs
    for matrix, bias in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        # Unlike `maximum`, relu has the slope 0 at 0, where units without active inputs are.
        hidden = modules.jax.nn.relu(hidden @ matrix + bias)
    return hidden @ weights[-2] + weights[-1]


def targets(modules: Modules, learner: Learner, batch: Batch, agent: str, gamma: float) -> Any:
    """What the values of the batch's actions should be, [b].

    DQN: ``r + gamma max_a Q_target(s', a)``. Double DQN: the target network's value of the action
    that the online network prefers (van Hasselt et al. 2016).
    """
    later = action_values(modules, learner.target, batch.following)
    if agent == "double_dqn":
        preferred = action_values(modules, learner.online, batch.following).argmax(axis=-1)
        best = modules.numpy.take_along_axis(later, preferred[:, None], axis=-1)[:, 0]
    else:
        best = later.max(axis=-1)
    return batch.rewards + gamma * (1.0 - batch.ends) * best


def loss(modules: Modules, online: Any, batch: Batch, target_values: Any) -> Any:
    """Mean squared error of the values of the actions taken."""
    values = action_values(modules, online, batch.inputs)
    chosen = modules.numpy.take_along_axis(values, batch.actions[:, None], axis=-1)[:, 0]
    return ((chosen - target_values) ** 2).mean()


def optimizer(modules: Modules, settings: AgentSettings) -> Any:
    """RMSprop as Keras words it, without momentum, or Adam."""
    if settings.optimizer == "adam":
        return modules.optax.adam(settings.learning_rate)
    return modules.optax.rmsprop(
        settings.learning_rate,
        decay=settings.decay,
        eps=settings.stabilizer,
        eps_in_sqrt=True,
        initial_scale=0.0,
    )


def update(
    modules: Modules, settings: AgentSettings, agent: str, learner: Learner, batch: Batch
) -> tuple[Learner, Any]:
    """One update and its loss; the target network is copied after every `target_every`."""
    jax = modules.jax
    target_values = targets(modules, learner, batch, agent, settings.gamma)
    error, gradients = jax.value_and_grad(lambda w: loss(modules, w, batch, target_values))(
        learner.online
    )
    changes, moments = optimizer(modules, settings).update(
        gradients, learner.moments, learner.online
    )
    online = modules.optax.apply_updates(learner.online, changes)
    updates = learner.updates + 1
    copies = updates % settings.target_every == 0
    target = jax.tree.map(
        lambda new, old: modules.numpy.where(copies, new, old), online, learner.target
    )
    return Learner(online, target, moments, updates), error


def empty_replay(modules: Modules, size: int, inputs: int) -> Replay:
    """A ring without transitions."""
    xp = modules.numpy
    return Replay(
        Batch(
            xp.zeros((size, inputs)),
            xp.zeros(size, xp.int32),
            xp.zeros(size),
            xp.zeros((size, inputs)),
            xp.zeros(size),
        ),
        xp.int32(0),
    )


def store(modules: Modules, replay: Replay, one: Batch) -> Replay:
    """Store a transition, in the place of the oldest if the ring is full."""
    place = replay.stored % replay.rows.actions.shape[0]
    rows = modules.jax.tree.map(lambda kept, new: kept.at[place].set(new), replay.rows, one)
    return Replay(rows, replay.stored + 1)


def store_all(modules: Modules, replay: Replay, batch: Batch) -> Replay:
    """Store transitions, at most as many as the ring has places, first row first."""
    size, count = replay.rows.actions.shape[0], batch.actions.shape[0]
    places = (replay.stored + modules.numpy.arange(count)) % size
    rows = modules.jax.tree.map(lambda kept, new: kept.at[places].set(new), replay.rows, batch)
    return Replay(rows, replay.stored + count)


def sample(modules: Modules, replay: Replay, key: Any, batch: int) -> Batch:
    """Draw different transitions, each with the same probability (Floyd's algorithm). O(batch^2).

    At least `batch` must be stored; else rows that never were can be among them.
    """
    jax, xp = modules.jax, modules.numpy
    size = replay.rows.actions.shape[0]
    held = xp.maximum(xp.minimum(replay.stored, size), batch)
    drawn = jax.random.uniform(key, (batch,))

    def draw(i: Any, chosen: Any) -> Any:
        last = held - batch + i
        place = xp.minimum((drawn[i] * (last + 1)).astype(xp.int32), last)
        taken = (chosen == place).any()
        return chosen.at[i].set(xp.where(taken, last, place))

    chosen = jax.lax.fori_loop(0, batch, draw, xp.full(batch, -1, xp.int32))
    return Batch(*(rows[chosen] for rows in replay.rows))
