"""Strategies in the compiled loop decide as they do one step at a time in the plain simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Observation, assignors
from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling import Strategy, registry
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import group_settings, simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.checks import check_counts, check_lags, check_latency
from tests.algorithms.simulation.plain_group import Group
from tests.algorithms.simulation.plain_settings import Answer, Sight

pytestmark = pytest.mark.unit

ARGUMENTS: dict[str, dict[str, Any]] = {
    "queueing": {"r_max": 0.02, "estimate": True},
    "queueing_paths": {"r_max": 0.02},
    "headroom": {"hold": 2.0},
    "keda_hpa": {"exclude_persistent_lag": True},
    "keda_prometheus": {"scrape_s": 0.5, "window_s": 2.0, "hold": 3.0, "sync_s": 2.0},
    "keda_time_lag": {"target_s": 1.5, "scrape_s": 1.0},
    "time_threshold": {"in_s": 0.2, "out_s": 1.5},
    "optimal": {"capacity": 150.0},
    "MBFP": {"f_up": 0.8},
    "shadow_hedge": {"w": 0.5},
    "mpc": {"w": 0.5, "horizon": 4},
}
"""Arguments by name, where the defaults would do little in a few steps."""

NAMES = (
    *(
        name
        for name in registry.names()
        # Assignors have tests below, algorithms are all alike, and ``dqn`` needs a policy.
        if name not in (*assignors.names(), *assignment_registry.names(), "dqn")
    ),
    *("BFD", "MBFP", "kd_2", "linear+placement", "headroom+placement", "keda_hpa+placement"),
)


class Stepper:
    """A strategy, asked one decision at a time."""

    def __init__(self, strategy: Strategy, state: Any) -> None:
        self.strategy, self.state = strategy, state

    def __call__(self, sight: Sight) -> Answer:
        decision = self.strategy.step(
            self.state,
            Observation(
                rates=np.array(sight.rates),
                lags=np.array(sight.lags),
                owners=np.array(sight.owners, np.int32),
                replicas=sight.replicas,
                time=sight.time,
                consumed=np.array(sight.consumed),
                counts=np.array(sight.counts),
                arrived=np.array(sight.arrived),
            ),
        )
        if decision.replicas is None:
            return None
        if decision.owners is not None:
            return decision.replicas, 2, decision.owners.tolist()
        if decision.ranks is not None:
            return decision.replicas, 1, decision.ranks.tolist()
        return decision.replicas, 0, [0] * len(sight.rates)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_random_scenarios(name: str) -> None:
    arguments = ARGUMENTS.get(name.removesuffix("+placement"), {})
    for seed in range(12):
        case = scenarios.scenario(1000 + seed, steps=14)
        # The packing algorithms have ids below P only.
        p = len(case.rates[0])
        case.setup.max_replicas = case.settings["max_replicas"] = p
        case.setup.min_replicas = case.settings["min_replicas"] = 0
        initial = min(max(case.setup.initial_replicas, 1), p)
        case.setup.initial_replicas = case.settings["initial_replicas"] = initial
        strategy = registry.get("kd_1" if name == "kd_2" and p == 1 else name)
        case.setup.observe = dict(strategy.group).get("observe", case.setup.observe)
        settings = group_settings.check_settings(case.settings, p, 1.0, None)
        group = group_settings.group_of(settings, case.peaks, means=case.mean_rates)
        stepper = Stepper(strategy, strategy.start(group, **arguments))
        plain = Group(case.rates, case.setup, stepper).run()
        detailed = simulate_in_detail(case.workload, strategy, arguments, case.settings)
        check_counts(detailed, plain)
        check_lags(detailed, plain)
        check_latency(detailed, plain, case.setup)


@pytest.mark.parametrize("assignor", assignors.names())
def test_an_assignor_is_a_strategy(assignor: str) -> None:
    """As a name it is a constant group whose partitions it places."""
    rates = np.array([[150.0, 90.0, 60.0, 10.0, 10.0]] * 4)
    group = {"initial_replicas": 2}
    result = simulate(rates, assignor, settings=group)
    expected = simulate(rates, "constant", settings=group | {"assignor": assignor})
    assert repr(result) == repr(expected)
    assert repr(simulate(rates, assignor, settings=group | {"assignor": assignor})) == repr(result)


def test_an_assignor_has_no_other_assignor() -> None:
    words = "assignor must be sticky for the strategy sticky .*'range'.*strategy constant"
    with pytest.raises(InvalidParameterError, match=words):
        simulate(np.ones((2, 2)), "sticky", settings={"assignor": "range"})


def test_a_strategy_that_overprovisions_scales_once() -> None:
    """It packs the peaks, which it knows, at its first decision; later ones change nothing."""
    rates = np.array([[10.0, 20.0], [100.0, 20.0], [10.0, 120.0], [1.0, 1.0]])
    result = simulate_in_detail(rates, "overprovision", settings=PAPER_GROUP).result
    assert result.replicas.tolist() == [1, 2, 2, 2]
    assert (result.n_up, result.n_down, result.n_reassign) == (1, 0, 0)


def test_an_optimal_packing_sees_the_present_rates() -> None:
    """Without delays it has the replicas of each step from its start."""
    rates = np.array([[40.0, 40.0], [50.0, 40.0], [0.0, 0.0]])
    settings = PAPER_GROUP | {"rebalance_s": 0.0}
    result = simulate_in_detail(rates, "optimal", settings=settings).result
    assert result.replicas.tolist() == [1, 2, 1]
    assert result.replica_minutes == pytest.approx(4 / 60)
    assert simulate_in_detail(
        rates, "optimal", settings=settings | {"observe": "last"}
    ).result.replicas.tolist() == [1, 1, 2]
