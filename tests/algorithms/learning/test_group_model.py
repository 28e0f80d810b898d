"""The model for training agrees with the simulator that all strategies share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import group_model
from algorithms.learning.learned_group import LearnedGroup, check_learned_group
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scripted

pytestmark = pytest.mark.unit

STEPS = 90
REBALANCES = (0.0, 0.05, 0.5, 1.0, 1.7, 2.0, 3.0)


def case(rng: np.random.Generator, rebalance_s: float, partitions: int) -> tuple[Any, ...]:
    """A group, the events of each second, and numbers of replicas asked for from second 1 on."""
    group = check_learned_group(
        LearnedGroup(
            partitions=partitions,
            mu=float(rng.choice([80.0, 200.0])),
            rebalance_s=rebalance_s,
            weight=float(rng.choice([1.0, 10.0])),
        )
    )
    level = rng.uniform(0.2, 1.1, STEPS // 10).repeat(10)
    rates = np.floor(level * group.in_time * partitions * rng.uniform(0.7, 1.3, STEPS))
    rates[rng.random(STEPS) < 0.1] = 0.0
    # Runs of equal answers and quick changes, some of them out of bounds.
    counts = rng.integers(0, partitions + 2, STEPS)
    keeps = rng.random(STEPS) < 0.5
    for k in range(1, STEPS):
        counts[k] = counts[k - 1] if keeps[k] else counts[k]
    return group, rates, counts


def modelled(group: LearnedGroup, rates: Any, counts: Any, xp: Any = np) -> list[Any]:
    """States after, and results of, each second; no decision is made in the first one."""
    state = group_model.first(group, (), xp)
    result = []
    for k, rate in enumerate(rates):
        count = xp.asarray(counts[k], xp.int32) if k else state.asked
        state, second = group_model.step(group, state, count, xp.asarray(rate), xp)
        result.append((state, second))
    return result


@pytest.mark.slow
@pytest.mark.parametrize("rebalance_s", REBALANCES)
@pytest.mark.parametrize("partitions", [1, 5, 7])
def test_random_cases_agree_with_the_simulator(rebalance_s: float, partitions: int) -> None:
    rng = np.random.default_rng([11, partitions, int(100 * rebalance_s)])
    for _ in range(4):
        group, rates, counts = case(rng, rebalance_s, partitions)
        workload = np.repeat(rates[:, None] / partitions, partitions, axis=1)
        answers: list[Any] = [(int(n), 0, [0] * partitions) for n in counts[1:]]
        settings = group.simulated | {"decision_s": 1.0, "observe": "last"}
        detailed = simulate_in_detail(workload, scripted.strategy(answers), settings=settings)
        seconds = modelled(group, rates, counts)
        lags = [state.lags.sum() for state, _ in seconds]
        np.testing.assert_allclose(lags, detailed.trajectory.lag, atol=1e-6)
        paid = sum(float(second.paid_s) for _, second in seconds)
        assert paid / 60.0 == pytest.approx(detailed.result.replica_minutes, rel=1e-9)
        late = sum(float(second.late) for _, second in seconds)
        share = 100.0 * (1.0 - late / rates.sum())
        assert share == pytest.approx(detailed.result.sla_percent, abs=1e-6)
        seen = scripted.STARTED[-1].notes[:, 0, :]
        np.testing.assert_allclose([s.lags for s, _ in seconds[:-1]], seen, atol=1e-6)
        asked = scripted.STARTED[-1].numbers[:, 2]
        assert asked.tolist() == [int(state.asked) for state, _ in seconds[:-1]]


def test_the_reward_is_what_a_second_costs() -> None:
    group = LearnedGroup(weight=2.0, rebalance_s=0.05)
    state = group_model.first(group, (), np)
    # One consumer serves 99.5 of 149.5 events in time.
    state, second = group_model.step(group, state, np.int32(1), np.float64(149.5), np)
    assert (float(second.paid_s), float(second.late)) == (1.0, pytest.approx(50.0))
    assert second.reward == pytest.approx(-(0.2 + 2.0 * 0.5))
    _, second = group_model.step(group, state, np.int32(1), np.float64(4000.0), np)
    assert second.reward == -5.0


def test_groups_side_by_side_are_the_same_as_alone() -> None:
    rng = np.random.default_rng(3)
    group, rates, counts = case(rng, 2.0, 5)
    together = group_model.first(group, (3,), np)
    for k in range(30):
        count = np.array([counts[k], 1, 5], np.int32)
        together, both = group_model.step(group, together, count, np.full(3, rates[k]), np)
    alone = group_model.first(group, (), np)
    for k in range(30):
        alone, one = group_model.step(group, alone, counts[k], rates[k], np)
    np.testing.assert_array_equal(together.lags[0], alone.lags)
    assert (both.late[0], both.reward[0]) == (one.late, one.reward)
    inputs = group_model.inputs_of(group, together, np)
    assert inputs.shape == (3, 24)
    np.testing.assert_array_equal(inputs[0], group_model.inputs_of(group, alone, np))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"partitions": 0}, "partitions must be"),
        ({"mu": 0.0}, "mu must be"),
        ({"weight": -1.0}, "weight must be"),
        ({"rebalance_s": float("nan")}, "rebalance_s must be"),
        ({"wsla_s": 1.5}, "wsla_s must be at most 1 s"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        check_learned_group(LearnedGroup(**changes))
