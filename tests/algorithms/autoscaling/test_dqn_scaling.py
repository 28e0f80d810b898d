"""The strategy `dqn`: what its network observes, and which policies and groups it refuses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import registry
from algorithms.autoscaling.trained import group_inputs, trained_policy
from algorithms.autoscaling.trained.trained_policy import PolicyName, TrainedPolicy
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling.cases import GROUP
from tests.algorithms.autoscaling.trained_policies import random_policy

pytestmark = pytest.mark.unit

BURSTS = GROUP._replace(mu=200.0, burst=True)


def observed(totals: list[float], lag: float, replicas: int, since_s: float) -> Any:
    """Inputs after these rates."""
    rates = group_inputs.no_rates()
    for total in totals:
        group_inputs.record(rates, total)
    inputs = np.zeros(24)
    capacity = group_inputs.capacity_of(BURSTS)
    group_inputs.fill(inputs, capacity, rates, lag, replicas, since_s)
    return inputs


def test_the_24_inputs_by_hand() -> None:
    totals = [400.0, *[0.0] * 52, 100.0, 100.0, 100.0, 100.0, 100.0, 200.0, 200.0, 200.0, 200.0]
    totals.append(300.0)
    inputs = observed(totals, 50.0, 2, 30.0)
    # The first 400 are 62 s old: they no longer count.
    assert inputs[:6] == pytest.approx([0.75, 0.55, 1600 / 15 / 400, 1600 / 60 / 400, 0.75, 0.75])
    assert inputs[6:8] == pytest.approx([(220.0 - 100.0) / 50.0, 0.5])
    assert inputs[8:13].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    # 300 events on 1, 2 and 3 consumers with 5, 3 + 2 and 2 + 2 + 1 partitions, 99.5 in time each.
    late = [200.5 / 300, (80.5 + 20.5) / 300, 2 * 20.5 / 300, 20.5 / 300, 0.0]
    assert inputs[13:18] == pytest.approx(late)
    assert inputs[18] == pytest.approx(230.5 / 330)
    assert inputs[23] == 0.5


def test_little_is_known_at_first() -> None:
    inputs = observed([100.0], 0.0, 1, 1000.0)
    assert inputs[:8] == pytest.approx([0.25] * 6 + [0.0, 0.0])
    assert inputs[23] == 1.0
    assert observed([0.0], 0.0, 1, 1.0)[13:23].tolist() == [0.0] * 10


@pytest.mark.parametrize(
    ("rate", "replicas"), [(0, 1), (99.5, 1), (99.6, 2), (165, 2), (170, 3), (9999, 5)]
)
def test_fewest_replicas_in_time(rate: float, replicas: int) -> None:
    assert group_inputs.fewest(group_inputs.capacity_of(BURSTS), float(rate)) == replicas


@pytest.mark.parametrize(("action", "replicas"), [("target", 3), ("delta", 5), ("residual", 3)])
def test_what_outputs_stand_for(action: str, replicas: int) -> None:
    """A network that always prefers its third output."""
    outputs = trained_policy.outputs_of(action, 5)
    bias = (np.arange(outputs) == 2).astype(np.float32)
    policy = TrainedPolicy(action, 5, (np.zeros((24, outputs), np.float32), bias))
    strategy = registry.get("dqn")
    state = strategy.start(BURSTS, policy=PolicyName("third", policy))
    seen = Observation(
        rates=np.full(5, 20.1),
        lags=np.zeros(5),
        owners=np.zeros(5, np.int32),
        replicas=4,
        time=7.0,
    )
    # 100.5 events need two consumers.
    assert strategy.step(state, seen).replicas == replicas


def test_a_policy_is_written_as_its_name_and_survives_pickling() -> None:
    policy = random_policy("delta")
    copy = pickle.loads(pickle.dumps(policy))
    assert (copy, type(copy)) == ("random-delta", PolicyName)
    for before, after in zip(policy.policy.weights, copy.policy.weights, strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("group", "policy", "message"),
    [
        (BURSTS, "", r"policy must be the file of a trained policy, .*\(got none\)"),
        (BURSTS, "x.json", r"policy must be the file of a trained policy, .*\(got 'x.json'\)"),
        (BURSTS, random_policy("delta", 7), "is for 7 partitions .the group has 5."),
        (BURSTS._replace(decision_s=2.0), random_policy("delta"), "decision_s must be 1 s"),
    ],
)
def test_other_groups_and_policies_are_refused(group: Any, policy: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        registry.get("dqn").start(group, policy=policy)


def test_uniform_arrivals_are_seen_as_bursts() -> None:
    smooth = group_inputs.capacity_of(BURSTS._replace(burst=False))
    assert smooth == group_inputs.capacity_of(BURSTS)


def test_networks_of_another_shape_are_refused() -> None:
    policy = random_policy("delta").policy
    for wrong in (
        policy._replace(action="target"),
        policy._replace(partitions=6),
        policy._replace(weights=policy.weights[:-1]),
        policy._replace(weights=()),
        policy._replace(weights=(*policy.weights[:-1], np.full(3, np.nan, np.float32))),
    ):
        with pytest.raises(InvalidParameterError, match=r"must have 2\d inputs|must be finite"):
            trained_policy.check_policy(wrong)
    with pytest.raises(InvalidParameterError, match="action must be one of target, delta"):
        trained_policy.check_policy(policy._replace(action="up"))
