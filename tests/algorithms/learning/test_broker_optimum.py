"""Latency, rewards, metrics and optimum of brokers, against printed tables and simulation."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.seeds import derive_seed
from algorithms.learning import (
    broker_baselines,
    broker_model,
    broker_optimum,
    broker_rollout,
    policy_network,
)
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import REWARDS

pytestmark = pytest.mark.unit
PAPER = BrokerSettings()
COUNTS = np.arange(3, 12)


def test_latency():
    latencies = broker_model.latency_ms(PAPER, COUNTS, 1.0, np)
    assert np.round(latencies).tolist() == [990, 411, 296, 246, 218, 201, 189, 180, 173]


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("violations", [-2.0, -1.028, -0.249, -0.108, -0.099, -0.067, -0.020, -0.005, -0.001]),
        ("weighted", [-0.5, -0.230, -0.224, -0.193, -0.250, -0.313, -0.375, -0.438, -0.5]),
    ],
)
def test_expected_reward_of_staying(reward, expected):
    rewards = broker_optimum.expected_rewards(PAPER, reward)[0, :, 1]
    assert rewards == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("count", [-135, -135, -136, -138, -141, -145, -150, -156, -163]),
        ("violations", [-4.93, -2.93, -1.38, -0.76, -0.51, -0.35, -0.24, -0.15, -0.05]),
        ("weighted", [-9.28, -8.91, -8.77, -8.67, -8.70, -8.77, -8.89, -9.07, -9.31]),
    ],
)
def test_optimum(reward, expected):
    assert broker_optimum.optimum(PAPER, reward) == pytest.approx(expected, abs=6e-3)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("name", ["optimal", "random"])
def test_simulation_agrees_with_exact_values(reward, name):
    agent = AgentSettings(held_out=2000)
    starts = broker_rollout.held_out(PAPER, 2000, 7).starts
    values = {"optimal": broker_optimum.optimum, "random": broker_optimum.random_values}[name]
    rollout = broker_baselines.run(PAPER, agent, reward, name, 7, 0)
    difference = rollout.returns - values(PAPER, reward)[starts - 3]
    assert abs(difference.mean()) <= 4.0 * difference.std() / np.sqrt(2000) + 1e-9


def test_backward_induction_finds_the_best_of_all_sequences_under_a_load_series():
    settings = BrokerSettings(steps=4, load=(0.5, 1.5, 1.0, 2.0), min_brokers=3, max_brokers=6)
    rewards = broker_optimum.expected_rewards(settings, "weighted")
    for start in range(4):
        best = -np.inf
        for actions in itertools.product(range(3), repeat=4):
            total, index = 0.0, start
            for k, action in enumerate(actions):
                total += rewards[k, index, action]
                index = min(max(index + action - 1, 0), 3)
            best = max(best, total)
        assert broker_optimum.optimum(settings, "weighted")[start] == pytest.approx(best)


@pytest.mark.parametrize(
    ("reward", "changes"),
    [
        ("count", {"min_brokers": 4, "max_brokers": 4}),
        ("weighted", {"min_brokers": 4, "max_brokers": 4}),
        ("violations", {"load": 0.0, "spread": 0.04}),
        ("violations", {"cost_of_violation": 0.0}),
    ],
)
def test_there_is_no_score_where_random_actions_are_the_best(reward, changes):
    settings = BrokerSettings(**changes)
    starts = broker_optimum.starts(settings)
    with pytest.raises(InvalidParameterError, match=f"reward {reward} must be above that of rando"):
        broker_optimum.ends(settings, reward, starts)


def test_both_ends_of_a_score_are_means_over_the_starts():
    starts = np.array([3, 11, 11])
    ends = broker_optimum.ends(PAPER, "weighted", starts)
    best = broker_optimum.optimum(PAPER, "weighted")
    assert ends.best == pytest.approx((best[0] + 2 * best[8]) / 3)
    assert ends.worst < ends.best
    assert broker_optimum.starts(PAPER).tolist() == list(range(3, 12))
    assert broker_optimum.starts(replace(PAPER, start_brokers=5)).tolist() == [5]


def test_episodes_are_drawn_one_by_one():
    """As NumPy draws them for one cluster alone, bit for bit."""
    settings = BrokerSettings(steps=7, scrapes=5)
    episodes = broker_rollout.episodes(settings, 9, range(3), range(2))
    for row, (cluster, index) in enumerate(itertools.product(range(3), range(2))):
        draws = np.random.default_rng(derive_seed(9, "brokers", cluster, index))
        assert episodes.starts[row] == draws.integers(3, 12, size=1)[0]
        assert (episodes.noise[row] == np.exp(0.08 * draws.standard_normal((8, 5)))).all()


def test_a_start_that_is_set_leaves_the_noise_as_it_is():
    fixed = broker_rollout.episodes(BrokerSettings(start_brokers=6), 9, range(4), range(1))
    drawn = broker_rollout.episodes(PAPER, 9, range(4), range(1))
    assert fixed.starts.tolist() == [6, 6, 6, 6]
    assert (fixed.noise == drawn.noise).all()


def test_constants_of_metrics_are_settings():
    changed = replace(
        PAPER,
        metric_peak=2.0,
        response_share=0.5,
        records_per_request=10.0,
        total_shares=(0.5, 0.3, 0.2),
        queue_shares=(0.1, 0.2, 0.3),
        local_shares=(0.4, 0.4, 0.4),
    )
    interval = broker_model.Interval(np.array(5), np.array(True), np.array(300.0), np.array(400.0))
    values = broker_model.metrics_of(changed, interval, 1.0, np)
    metrics = dict(zip(broker_model.METRICS, values.tolist(), strict=True))
    expected = {
        "cpu_p95": 1.0,
        "messages_in_p95": 2 * 2400,
        "response_queue_ms_mean": 150,
        "produce_requests_mean": 80,
        "requests_p95": 2 * 240,
        "produce_total_ms_mean": 150,
        "fetch_consumer_request_queue_ms_p95": 400 * 0.3 * 0.2,
        "fetch_follower_local_ms": 300 * 0.2 * 0.4,
        "fetch_follower_remote_ms": 300 * 0.2 * 0.3,
    }
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)


def test_brokers_are_divided_by_the_most_brokers():
    assert broker_model.ranges(PAPER) == (
        *(11, 1, 1, 2e6, 2e6, 2e6, 2e6, 1e4, 1e4, 2e4, 2e4, 100, 100, 1e3, 1e3, 5e3, 5e3),
        *(500, 500),
        *(1500 for _ in range(18)),
    )
    settings = BrokerSettings(max_brokers=200, metric_ranges=tuple(range(1, 11)))
    assert broker_model.ranges(settings)[:4] == (200, 1, 1, 2)
    observations = np.ones((1, 37))
    observations[0, 0] = 200.0
    inputs = policy_network.inputs_of(observations, "ranges", settings)
    assert inputs[0, 0] == inputs[0, 1] == inputs[0].max()


def test_metrics_of_one_interval_by_hand():
    interval = broker_model.Interval(np.array(5), np.array(True), np.array(300.0), np.array(400.0))
    values = broker_model.metrics_of(PAPER, interval, 1.0, np)
    metrics = dict(zip(broker_model.METRICS, values.tolist(), strict=True))
    assert len(metrics) == 37
    expected = {
        "brokers": 5,
        "cpu_mean": 0.5,
        "cpu_p95": 0.55,
        "bytes_in_mean": 3 * 124 * 800,
        "messages_out_p95": 1.1 * 2400,
        "response_queue_ms_p95": 20,
        "produce_requests_mean": 40,
        "requests_mean": 120,
        "purgatory_mean": 240,
        "produce_total_ms_mean": 180,
        "produce_request_queue_ms_p95": 120,
        "fetch_consumer_local_ms": 45,
        "fetch_follower_remote_ms": 300 * 0.15 * 0.2,
    }
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("over", "violations", "weighted"),
    [
        (2.5, -2.0, -0.75),
        (1.7, -1.5, -0.65),
        (1.2, -1.0, -0.55),
        (0.6, -0.25, -0.45),
        (0.2, -0.1, -0.35),
        (0.05, 0.0, -0.35),
        (-0.1, 0.0, -0.25),
    ],
)
def test_rewards(over, violations, weighted):
    brokers, factor = np.array(7), 1.0 + over
    rewards = broker_model.reward_of(PAPER, "violations", brokers, np.array(200 * factor), np)
    assert rewards == pytest.approx(violations)
    rewards = broker_model.reward_of(PAPER, "weighted", brokers, np.array(300 * factor), np)
    assert rewards == pytest.approx(weighted)
    assert broker_model.reward_of(PAPER, "count", brokers, np.array(200.0), np) == -7


def test_actions_beyond_the_bounds_move_nothing():
    quiet = np.ones((2, 8))
    stepped = broker_rollout.step(PAPER, "count", np.array([3, 11]), np.array([0, 2]), 0, quiet)
    assert stepped.brokers.tolist() == [3, 11]
    assert not stepped.moved.any()


def test_a_change_disturbs_the_first_half_of_its_interval():
    quiet = np.ones((1, 8))
    stepped = broker_rollout.step(PAPER, "count", np.array([5]), np.array([2]), 0, quiet)
    assert stepped.p95_ms[0] == pytest.approx(1.25 * (122 + 434 / 2.5))


@pytest.mark.parametrize("name", ["static_3", "static_11"])
def test_static_baselines_reach_their_count(name):
    rollout = broker_baselines.run(PAPER, AgentSettings(held_out=20), "count", name, 0, 0)
    assert set(rollout.brokers) == {int(name.removeprefix("static_"))}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"load": float("nan")}, "load must be"),
        ({"load": (1.0, -1.0)}, r"load\[1\] must be"),
        ({"load": (1.0,)}, "load must have one value per step, 2"),
        ({"min_brokers": 12}, "min_brokers must"),
        ({"spread": 0.0}, "spread must"),
        ({"weight_of_brokers": 1.5}, "weight_of_brokers must"),
        ({"scrapes": 20}, "scrapes must"),
        ({"start_brokers": 12}, "start_brokers must"),
        ({"metric_peak": 0.9}, "metric_peak must"),
        ({"records_per_request": 0.0}, "records_per_request must"),
        ({"total_shares": (0.5, 0.5)}, "total_shares must"),
        ({"total_shares": 0.5}, "total_shares must"),
        ({"total_shares": (0.5, 0.5, 1.5)}, r"total_shares\[2\] must"),
        (
            {"local_shares": (0.6, 0.1, 0.1)},
            r"local_shares\[0\] \+ queue_shares\[0\] must be at mo",
        ),
        ({"metric_ranges": (1.0,) * 9}, "metric_ranges must"),
        ({"metric_ranges": (0.0,) * 10}, r"metric_ranges\[0\] must"),
    ],
)
def test_wrong_settings_name_field_value_and_limit(change, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_brokers(replace(BrokerSettings(steps=2), **change))
