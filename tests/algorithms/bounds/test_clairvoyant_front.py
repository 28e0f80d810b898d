"""The front of the bounds, and how far strategies are from it."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.bounds.clairvoyant_front import BoundFront, bound_front, front_of, regret
from algorithms.bounds.clairvoyant_plan import clairvoyant_plans, plan_weights
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.workloads import load_profiles, partition_splits
from tests.algorithms.bounds.scaled_groups import group, workload

pytestmark = pytest.mark.unit

SETTINGS = PAPER_GROUP | {"arrivals": "burst", "mu": 100.0}


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_is_what_all_bounds_allow(seed: int) -> None:
    """At any number of late events it is the greatest of the lines, and it is convex."""
    rng = np.random.default_rng(seed)
    settings, rates = group(rng, 4), workload(rng, 25, 4, 200.0)
    plans = clairvoyant_plans(rates, plan_weights(200.0), settings)
    events = float(rates.sum()) * settings["step_s"]
    front = front_of(plans, events)
    assert front.sla_percent[[0, -1]].tolist() == [0.0, 100.0]
    assert (np.diff(front.sla_percent) > 0.0).all()
    assert (np.diff(front.replica_minutes) >= -1e-9).all()
    between = front.sla_percent[1:] - 0.5 * np.diff(front.sla_percent)
    for sla in (*front.sla_percent, *between, *np.linspace(0.0, 100.0, 41)):
        late = events * (1.0 - sla / 100.0)
        least = max(plan.lower - plan.weight * late for plan in plans) / 60.0
        assert np.interp(sla, front.sla_percent, front.replica_minutes) == pytest.approx(least)


@pytest.mark.slow
def test_no_candidate_of_any_sweep_is_below_the_front() -> None:
    for seed, arrivals, split in ((1, "burst", "equal"), (2, "uniform", "skew")):
        total = load_profiles.generate("bursts", 300, 60.0, 400.0, seed=seed)
        rates = partition_splits.split(total, 5, split)
        settings = SETTINGS | {"arrivals": arrivals}
        results = [
            simulate(rates, each.strategy, each.arguments, settings | each.settings)
            for name in COMPARED
            for each in candidates.sweep(name, 5, 100.0, 0.5)
        ]
        sla = np.array([result.sla_percent for result in results], dtype=np.float64)
        minutes = np.array([result.replica_minutes for result in results])
        regrets = regret(bound_front(rates, settings), sla, minutes)
        assert (regrets.minutes >= -1e-9).all()
        assert np.allclose(regrets.least_minutes + regrets.minutes, minutes)
        # The best are within a third of a bound that knows the future.
        assert 0.0 <= regrets.share.min() < 0.35


def test_without_events_only_the_least_replicas_count() -> None:
    front = bound_front(np.zeros((60, 2)), SETTINGS)
    assert front.sla_percent.tolist() == [0.0, 100.0]
    assert front.replica_minutes.tolist() == pytest.approx([1.0, 1.0])


def test_a_share_of_nothing_is_no_number() -> None:
    front = BoundFront(np.array([0.0, 100.0]), np.array([0.0, 2.0]), proved=True)
    regrets = regret(front, np.array([0.0, 50.0]), np.array([1.0, 3.0]))
    assert np.isnan(regrets.share[0])
    assert regrets.share[1] == 2.0
    assert regrets.minutes.tolist() == [1.0, 2.0]


def test_what_varies_is_not_proved() -> None:
    assert not bound_front(np.ones((3, 2)), SETTINGS | {"service_cv": 1.0}).proved


def test_wrong_input() -> None:
    front = BoundFront(np.array([0.0, 100.0]), np.array([1.0, 2.0]), proved=True)
    one = np.ones(1)
    with pytest.raises(InvalidParameterError, match=r"one number per simulation.*\(2,\)"):
        regret(front, np.ones(2), one)
    for wrong in (np.nan, -1.0, 100.1):
        with pytest.raises(InvalidParameterError, match=r"sla_percent\[0\] must be between 0 and"):
            regret(front, np.array([wrong]), one)
    with pytest.raises(InvalidParameterError, match="weights must have at least 1 value"):
        bound_front(np.ones((2, 2)), SETTINGS, weights=[])
