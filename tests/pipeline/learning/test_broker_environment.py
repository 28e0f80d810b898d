import time
import warnings

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_rollout
from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.learning.broker_environment import BrokerEnvironment, BrokerEnvironments

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("reward", ["count", "violations", "weighted"])
def test_the_checker_of_gymnasium_has_no_warning(reward):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(BrokerEnvironment(reward=reward), skip_render_check=True)


def test_an_episode_ends_by_truncation_after_its_last_step():
    environment = BrokerEnvironment(BrokerSettings(steps=3))
    environment.reset(seed=1)
    flags = [environment.step(np.int64(2))[2:4] for _ in range(3)]
    assert flags == [(False, False), (False, False), (False, True)]


def test_a_seed_repeats_episodes_and_further_resets_draw_new_ones():
    environment = BrokerEnvironment()
    first, _ = environment.reset(seed=5)
    second, _ = environment.reset()
    again, _ = environment.reset(seed=5)
    assert (first == again).all()
    assert (first != second).any()


def test_a_cluster_does_not_depend_on_those_beside_it():
    few, many = BrokerEnvironments(2), BrokerEnvironments(50)
    one, other = few.reset(seed=3)[0], many.reset(seed=3)[0]
    assert (one == other[:2]).all()
    up = np.full(50, 2)
    assert (few.step(up[:2])[1] == many.step(up)[1][:2]).all()


def test_the_step_after_the_last_one_begins_a_new_episode():
    environments = BrokerEnvironments(4, BrokerSettings(steps=2))
    environments.reset(seed=0)
    actions = np.ones(4, np.int64)
    assert not environments.step(actions)[3].any()
    assert environments.step(actions)[3].all()
    _, rewards, _, ends, info = environments.step(actions)
    assert not rewards.any()
    assert not ends.any()
    drawn = broker_rollout.episodes(environments.settings, 0, range(4), range(1, 2))
    assert (info["brokers"] == drawn.starts).all()


def test_an_unknown_reward_names_the_known_ones():
    with pytest.raises(InvalidParameterError, match="count, violations, weighted"):
        BrokerEnvironment(reward="4")


def test_a_million_steps_take_at_most_a_second_in_4096_clusters():
    # The best of three: other processes may take their share.
    settings, clusters = BrokerSettings(), 4096
    draws = np.random.default_rng(0)
    brokers, actions = np.full(clusters, 6), draws.integers(0, 3, clusters)
    noise = np.exp(0.08 * draws.standard_normal((clusters, 8)))
    spent = []
    for _ in range(3):
        begun = time.perf_counter()
        for k in range(20):
            broker_rollout.step(settings, "weighted", brokers, actions, k, noise)
        spent.append((time.perf_counter() - begun) / (20 * clusters))
    assert min(spent) <= 1e-6
