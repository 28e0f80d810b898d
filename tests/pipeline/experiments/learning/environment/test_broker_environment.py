import time
import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_rollout
from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.experiments.learning.environment.broker_environment import (
    BrokerEnvironment,
    BrokerEnvironments,
)

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


def test_one_seed_per_cluster_gives_the_episodes_of_single_environments():
    seeds = [5, np.int64(9)]
    together = BrokerEnvironments(2)
    singles = [BrokerEnvironment() for _ in seeds]
    for arguments in ({"seed": seeds}, {}):
        observations, _ = together.reset(**arguments)
        for row, single, seed in zip(observations, singles, seeds, strict=True):
            expected, _ = single.reset(seed=int(seed)) if arguments else single.reset()
            assert (row == expected).all()
    actions = np.array([2, 0])
    stepped = together.step(actions)
    for row, reward, single, action in zip(*stepped[:2], singles, actions, strict=True):
        expected, value, *_ = single.step(action)
        assert (row == expected).all()
        assert reward == value


def test_a_cluster_without_a_seed_of_its_own_goes_on():
    environments, other = BrokerEnvironments(3), BrokerEnvironments(3)
    environments.reset(seed=4)
    other.reset(seed=4)
    observations, _ = environments.reset(seed=[None, 7, None])
    expected, _ = other.reset()
    assert (observations[[0, 2]] == expected[[0, 2]]).all()
    assert (observations[1] != expected[1]).any()
    assert np.isfinite(BrokerEnvironments(2).reset(seed=[None, 1])[0]).all()


def test_integers_of_numpy_are_seeds():
    plain, numpy = (BrokerEnvironments(2).reset(seed=seed)[0] for seed in (3, np.int64(3)))
    assert (plain == numpy).all()


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1], "seed must have one value per cluster, 2 .got 1."),
        ([1, -1], "seed must be between 0 and"),
        (-1, "seed must be between 0 and"),
        (1.5, "seed must be an integer"),
        (True, "seed must be an integer"),
        ([1, "x"], "seed must be an integer"),
    ],
)
def test_wrong_seeds(seed, message):
    with pytest.raises(InvalidParameterError, match=message):
        BrokerEnvironments(2).reset(seed=seed)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([1, 3], "actions must be 0 .* 2 .add one. .got 3."),
        ([-1, 1], "got -1"),
        ([1], "actions must be 2 integers"),
        ([[1, 1]], "actions must be 2 integers"),
        ([1.0, 1.0], "actions must be 2 integers .got float64"),
    ],
)
def test_wrong_actions(actions, message):
    environments = BrokerEnvironments(2)
    environments.reset(seed=0)
    with pytest.raises(InvalidParameterError, match=message):
        environments.step(np.array(actions))


def test_a_single_environment_refuses_wrong_actions_and_steps_without_a_reset():
    environment = BrokerEnvironment(BrokerSettings(steps=1))
    with pytest.raises(ResetNeeded):
        environment.step(np.int64(1))
    environment.reset(seed=0)
    with pytest.raises(InvalidParameterError, match="got 7"):
        environment.step(np.int64(7))
    environment.step(np.int64(1))
    with pytest.raises(ResetNeeded):
        environment.step(np.int64(1))


def test_no_number_of_brokers_is_clipped():
    settings = BrokerSettings(min_brokers=150, max_brokers=400, start_brokers=400)
    environment = BrokerEnvironment(settings)
    observed, info = environment.reset(seed=0)
    assert environment.observation_space.high[0] == 4000
    assert observed[0] == info["brokers"] == 400


def test_times_that_have_no_remote_part_are_in_the_space():
    """1 - 0.9 - 0.1 is a little below 0."""
    settings = BrokerSettings(queue_shares=(0.9, 0.9, 0.9), local_shares=(0.1, 0.1, 0.1))
    environment = BrokerEnvironment(settings)
    observed, _ = environment.reset(seed=0)
    assert environment.observation_space.contains(observed)
    assert observed.min() == 0.0


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
def test_wrong_numbers_of_clusters(count):
    with pytest.raises(InvalidParameterError, match="num_envs must be"):
        BrokerEnvironments(count)


def test_an_unknown_reward_names_the_known_ones():
    with pytest.raises(InvalidParameterError, match="reward"):
        BrokerEnvironment(reward="4")


@pytest.mark.slow
def test_steps_of_many_clusters_cost_a_tenth_of_steps_of_one():
    """The least processor times of several; their ratio is the same on a slow or busy machine.

    `make bench-kernels` measures the time itself.
    """
    actions = np.random.default_rng(0).integers(0, 3, (45, 1024))
    one, many = BrokerEnvironment(), BrokerEnvironments(1024)
    spent = {one: [], many: []}
    for episode in range(8):
        for environment, chosen in ((one, actions[:, 0]), (many, actions)):
            begun = time.process_time()
            environment.reset(seed=episode)
            for action in chosen:
                environment.step(action)
            spent[environment].append(time.process_time() - begun)
    assert min(spent[many]) / 1024 <= min(spent[one]) / 10
