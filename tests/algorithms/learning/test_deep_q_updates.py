"""Updates agree with a plain reference in float64; the replay is a ring."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from algorithms.learning import deep_q_updates
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.deep_q_updates import Batch, Learner
from tests.algorithms.learning import plain_agent

pytestmark = [pytest.mark.unit, pytest.mark.slow]
SIZES = (5, 7, 6, 3)


@pytest.fixture(scope="module")
def modules():
    from algorithms.learning.jax_loading import load

    return load()


def networks(modules, count):
    keys = (modules.jax.random.key(i) for i in range(count))
    return [deep_q_updates.initial_weights(modules, key, SIZES) for key in keys]


def batch_of(rows, seed=0):
    draws = np.random.default_rng(seed)
    return Batch(
        draws.normal(size=(rows, SIZES[0])).astype(np.float32),
        draws.integers(0, 3, rows).astype(np.int32),
        draws.normal(size=rows).astype(np.float32),
        draws.normal(size=(rows, SIZES[0])).astype(np.float32),
        draws.integers(0, 2, rows).astype(np.float32),
    )


def plain(weights):
    return [np.asarray(array, np.float64) for array in weights]


def test_first_weights_are_xavier_uniform_in_each_layer(modules):
    """Glorot and Bengio 2010, eq. 16: U(-l, l) with l = sqrt(6 / (inputs + outputs))."""
    sizes = (37, 64, 128, 3)
    first, other = (
        deep_q_updates.initial_weights(modules, modules.jax.random.key(i), sizes) for i in (0, 1)
    )
    for matrix, bias, another, (inputs, outputs) in zip(
        first[::2], first[1::2], other[::2], pairwise(sizes), strict=True
    ):
        values, limit = np.asarray(matrix, np.float64), np.sqrt(6 / (inputs + outputs))
        assert values.shape == (inputs, outputs)
        # The largest of 384 uniform values or more is below .96 of the limit once in 6 million.
        assert 0.96 * limit < np.abs(values).max() <= limit
        # Standard deviations: l / sqrt(3 n) of the mean, 2 l^2 / sqrt(45 n) of the mean square.
        assert abs(values.mean()) < 5 * limit / np.sqrt(3 * values.size)
        spread = (values**2).mean() - limit**2 / 3
        assert abs(spread) < 5 * limit**2 * 2 / np.sqrt(45 * values.size)
        assert not np.asarray(bias).any()
        assert (values != np.asarray(another)).mean() > 0.99


@pytest.mark.parametrize("agent", ["dqn", "double_dqn"])
def test_targets(modules, agent):
    online, target = networks(modules, 2)
    batch = batch_of(200)
    learner = Learner(online, target, None, 0)
    targets = deep_q_updates.targets(modules, learner, batch, agent, 0.9)
    double = agent == "double_dqn"
    expected = plain_agent.target(plain(online), plain(target), batch, double, 0.9)
    np.testing.assert_allclose(targets, expected, rtol=1e-4, atol=1e-5)


def test_the_targets_of_both_agents_differ(modules):
    online, target = networks(modules, 2)
    learner, batch = Learner(online, target, None, 0), batch_of(200)
    dqn, double = (
        np.asarray(deep_q_updates.targets(modules, learner, batch, agent, 0.9))
        for agent in ("dqn", "double_dqn")
    )
    assert (double <= dqn).all()
    assert (double < dqn - 1e-3).any()


def test_gradients(modules):
    (weights,) = networks(modules, 1)
    batch, targets = batch_of(10), np.linspace(-1, 1, 10)
    gradients = modules.jax.grad(
        lambda w: deep_q_updates.loss(modules, w, batch, modules.numpy.array(targets))
    )(weights)
    expected = plain_agent.gradients(plain(weights), batch.inputs, batch.actions, targets)
    for array, reference in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(array, reference, rtol=1e-4, atol=1e-5)


def test_updates_follow_rmsprop_as_keras_words_it_and_copy_the_target_in_time(modules):
    online, target = networks(modules, 2)
    settings = AgentSettings(target_every=2, learning_rate=0.01)
    moments = deep_q_updates.optimizer(modules, settings).init(online)
    learner = Learner(online, target, moments, modules.numpy.int32(0))
    weights, frozen = plain(online), plain(target)
    means = [np.zeros_like(array) for array in weights]
    for k in range(5):
        batch = batch_of(10, seed=k)
        targets = plain_agent.target(weights, frozen, batch, True, settings.gamma)
        slopes = plain_agent.gradients(weights, batch.inputs, batch.actions, targets)
        weights, means = plain_agent.rmsprop(weights, means, slopes, 0.01, 0.9, 1e-7)
        learner, _ = deep_q_updates.update(modules, settings, "double_dqn", learner, batch)
        frozen = weights if (k + 1) % 2 == 0 else frozen
    # Each step moves a weight by up to 0.03; float32 leaves 1e-6 of it.
    for array, reference in zip(learner.online, weights, strict=True):
        np.testing.assert_allclose(array, reference, rtol=0, atol=2e-5)
    for array, reference in zip(learner.target, frozen, strict=True):
        np.testing.assert_allclose(array, reference, rtol=0, atol=2e-5)


@pytest.mark.parametrize("name", ["rmsprop", "adam"])
def test_steps_of_the_optimizer_for_gradients_of_any_size(modules, name):
    """Small ones tell whether the stabilizer is under the root (Keras' RMSprop) or not (Adam)."""
    settings = AgentSettings(optimizer=name, learning_rate=0.01)
    optimizer = deep_q_updates.optimizer(modules, settings)
    draws = np.random.default_rng(0)
    sizes = np.logspace(-9, 0, 19)
    parameters = (modules.numpy.zeros(19),)
    moments = optimizer.init(parameters)
    weights, means = [np.zeros(19)], [np.zeros(19)]
    if name == "adam":
        means = (means, [np.zeros(19)])
    for step in range(1, 6):
        slopes = [(sizes * draws.uniform(0.5, 1.0, 19)).astype(np.float32).astype(np.float64)]
        changes, moments = optimizer.update(
            (modules.numpy.array(slopes[0], modules.numpy.float32),), moments, parameters
        )
        parameters = modules.optax.apply_updates(parameters, changes)
        if name == "adam":
            weights, means = plain_agent.adam(weights, means, slopes, 0.01, step)
        else:
            weights, means = plain_agent.rmsprop(weights, means, slopes, 0.01, 0.9, 1e-7)
    np.testing.assert_allclose(parameters[0], weights[0], rtol=1e-4)


def transition(i):
    return Batch(np.full(2, i), i, float(i), np.full(2, i + 1), 0.0)


def test_the_replay_forgets_the_oldest_first(modules):
    replay = deep_q_updates.empty_replay(modules, 4, 2)
    for i in range(6):
        replay = deep_q_updates.store(modules, replay, transition(i))
    assert np.asarray(replay.rows.rewards).tolist() == [4.0, 5.0, 2.0, 3.0]


def test_a_sample_has_different_transitions_each_equally_often(modules):
    replay = deep_q_updates.empty_replay(modules, 8, 2)
    for i in range(6):
        replay = deep_q_updates.store(modules, replay, transition(i))
    keys = modules.jax.random.split(modules.jax.random.key(0), 4000)
    draw = modules.jax.vmap(lambda key: deep_q_updates.sample(modules, replay, key, 3).actions)
    drawn = np.sort(np.asarray(draw(keys)), axis=1)
    assert (np.diff(drawn, axis=1) > 0).all()
    # Six binomial counts with mean 2,000 and standard deviation 32.
    assert np.bincount(drawn.ravel(), minlength=6) == pytest.approx(np.full(6, 2000), abs=160)
