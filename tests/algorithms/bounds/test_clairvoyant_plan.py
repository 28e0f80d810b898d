"""The clairvoyant plan: exact in its own model, and never above what a simulation costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.bounds.clairvoyant_plan import clairvoyant_plan, clairvoyant_plans, plan_weights
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.latency_segments import SAME_TIME_S
from tests.algorithms.bounds import plain_plan
from tests.algorithms.bounds.scaled_groups import WEIGHTS, Array, figures, group, workload
from tests.algorithms.simulation import scenarios, scripted

pytestmark = pytest.mark.unit

ROUNDING = 1e-9
BURST: dict[str, Any] = PAPER_GROUP | {"arrivals": "burst", "mu": 200.0, "rebalance_s": 0.0}


def check_below(rates: Array, settings: dict[str, Any], strategies: list[Any]) -> int:
    """Compare the bound at all weights with the simulated cost; return how many are close."""
    plans = clairvoyant_plans(rates, WEIGHTS, settings)
    step_s, close = settings.get("step_s", 1.0), 0
    for strategy in strategies:
        seconds, late = figures(simulate(rates, strategy, settings=settings), rates, step_s)
        for plan in plans:
            cost = seconds + plan.weight * late
            assert plan.lower <= cost * (1.0 + ROUNDING) + ROUNDING, (strategy, plan.weight)
            close += plan.lower >= 0.9 * cost
    return close


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_the_plan_is_the_best_of_all_schedules(seed: int) -> None:
    """Against exact arithmetic in ticks, for every schedule of a few steps."""
    rng = np.random.default_rng(seed)
    steps, p = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    least = int(rng.integers(0, 2))
    settings: dict[str, Any] = {
        "mu": Fraction(100),
        # Half a service time is not part of the window.
        "wsla_s": Fraction(int(rng.integers(2, 19)), 20) + Fraction(1, 200),
        "min_replicas": least,
        "max_replicas": p,
        "initial_replicas": p,
        "protocol": str(rng.choice(["eager", "incremental"])),
        "rebalance_s": Fraction(int(rng.integers(0, 5)), 20),
        "move_pause_s": Fraction(int(rng.choice([0, 0, 3])), 20),
        "decision_offset_s": Fraction(int(rng.choice([0, 0, 3, 12])), 20),
        "startup_s": Fraction(0),
        "heartbeat_s": Fraction(int(rng.choice([0, 0, 2])), 20),
    }
    loads = [[Fraction(int(x)) for x in rng.integers(0, 90, p)] for _ in range(steps)]
    weight = Fraction(int(rng.integers(0, 30)), 200)
    plain = settings | {"window_s": settings["wsla_s"] - Fraction(1, 200)}
    expected = plain_plan.best_cost(loads, plain, weight)
    floats = {n: float(v) if isinstance(v, Fraction) else v for n, v in settings.items()}
    rates = np.array([[float(load) for load in row] for row in loads])
    plan = clairvoyant_plan(rates, float(weight), PAPER_GROUP | floats | {"arrivals": "burst"})
    # The simulator's tolerance of waits serves a few events more.
    slack = float(weight) * 100.0 * p * steps * SAME_TIME_S
    assert plan.cost == pytest.approx(float(expected), abs=slack + 1e-12)
    assert plan.cost == plan.replica_seconds + plan.weight * plan.late
    assert plan.is_bound
    assert plan.lower >= plan.cost


# The simulation is compiled for each strategy.
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_no_strategy_is_below_the_bound(seed: int) -> None:
    """On random workloads with random settings, every strategy and a constant of each size."""
    rng = np.random.default_rng(1000 + seed)
    p = int(rng.integers(1, 7))
    settings = group(rng, p)
    rates = workload(rng, 40, p, 200.0)
    check_below(rates, settings, [name for name in COMPARED if name != "overprovision"])
    for n in range(max(settings["min_replicas"], 1), settings["max_replicas"] + 1):
        check_below(rates, settings | {"initial_replicas": n}, ["constant"])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_script_is_below_the_bound(part: int) -> None:
    """Answers of any kind, with new owners for all partitions, that begin at any time."""
    close = 0
    for seed in range(100 * part, 100 * part + 100):
        case = scenarios.scenario(seed)
        arrived = scenarios.floats(case.rates), case.settings | {"poisson": False}
        close += check_below(*arrived, [scripted.strategy(case.answers)])
    # Were the bound far below all of them, this would show nothing.
    assert close > 50


def test_no_script_is_below_the_bound_where_starts_differ() -> None:
    """Nor where removed members lose work."""
    for seed in range(60):
        case = scenarios.with_work_in_flight(scenarios.scenario(seed), seed)
        case = scenarios.with_drawn_starts(case, seed)
        arrived = scenarios.floats(case.rates), case.settings | {"poisson": False}
        check_below(*arrived, [scripted.strategy(case.answers)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_no_search_gets_below_the_bound(seed: int) -> None:
    """Scripts that are changed as long as that makes them cheaper."""
    rng = np.random.default_rng(2000 + seed)
    p = int(rng.integers(1, 4))
    settings = group(rng, p) | {"observe": "now", "assignor": "sticky"}
    settings["decision_s"] = settings["step_s"]
    rates = workload(rng, 6, p, 200.0)
    weight = float(rng.choice([0.01, 0.03, 0.3]))
    plan = clairvoyant_plan(rates, weight, settings)
    counts = np.clip(plan.replicas, 0, settings["max_replicas"])
    best = np.inf
    for _ in range(60):
        trial = counts.copy()
        trial[rng.integers(6)] = rng.integers(0, settings["max_replicas"] + 1)
        answers: list[Any] = [(int(n), 0, [0] * p) for n in trial]
        result = simulate(rates, scripted.strategy(answers), settings=settings)
        seconds, late = figures(result, rates, settings["step_s"])
        if seconds + weight * late <= best:
            best, counts = seconds + weight * late, trial
        assert plan.lower <= best * (1.0 + ROUNDING)


@pytest.mark.parametrize("weight", [0.001, 0.05, 0.3])
def test_a_steady_load_reaches_the_bound(weight: float) -> None:
    """Two replicas serve two equal partitions as well as any plan could."""
    rates = np.full((30, 2), 90.0)
    plan = clairvoyant_plan(rates, weight, BURST)
    costs = [
        seconds + weight * late
        for n in (1, 2)
        for seconds, late in [
            figures(simulate(rates, "constant", settings=BURST | {"initial_replicas": n}), rates, 1)
        ]
    ]
    assert min(costs) == pytest.approx(plan.lower, rel=1e-7)


def test_changes_without_delay_reach_the_bound() -> None:
    rates = np.array([[40.0, 40.0], [80.0, 80.0], [90.0, 30.0], [5.0, 5.0]])
    plan = clairvoyant_plan(rates, 0.3, BURST)
    assert plan.replicas.tolist() == [1, 2, 2, 1]
    answers: list[Any] = [(int(n), 0, [0, 0]) for n in plan.replicas]
    settings = BURST | {"observe": "now", "decision_s": 1.0}
    result = simulate(rates, scripted.strategy(answers), settings=settings)
    seconds, late = figures(result, rates, 1.0)
    assert seconds + 0.3 * late == pytest.approx(plan.lower, rel=1e-7)


def test_partitions_return_to_their_last_owner_without_a_pause() -> None:
    """A group that scales to zero and back moves nothing, so nothing has to wait."""
    rates = np.array([[0.0], [90.0], [0.0], [90.0]])
    settings = BURST | {"protocol": "incremental", "rebalance_s": 0.4, "min_replicas": 0}
    answers: list[Any] = [(int(n), 0, [0]) for n in (0, 1, 0, 1)]
    script = scripted.strategy(answers)
    result = simulate(rates, script, settings=settings | {"observe": "now", "decision_s": 1.0})
    assert figures(result, rates, 1.0) == pytest.approx((2.0, 0.0))
    assert result.partitions_moved == 0
    assert clairvoyant_plan(rates, 1.0, settings).lower <= 2.0 + ROUNDING
    kept = clairvoyant_plan(rates, 1.0, settings | {"min_replicas": 1})
    assert kept.lower == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("settings", "is_bound"),
    [
        ({}, True),
        ({"arrivals": "uniform"}, False),
        ({"wsla_s": 1.5}, False),
        ({"heartbeat_s": 3.0}, False),
        ({"heartbeat_s": 3.0, "cooldown_s": 10.0}, True),
        ({"startup_s": 3.0, "cooldown_s": 10.0}, False),
        ({"startup_s": 0.5}, True),
        ({"startup_s": "0.5-0.5:1"}, False),
        ({"startup_s": 0.5, "decision_offset_s": 0.6}, False),
        ({"decision_offset_s": 0.6}, True),
        ({"rebalance_s": 0.6}, True),
        ({"rebalance_s": 0.6, "protocol": "cooperative"}, False),
        ({"service_cv": 0.1}, False),
    ],
)
def test_whose_plan_is_a_bound(settings: dict[str, Any], is_bound: bool) -> None:
    plan = clairvoyant_plan(np.full((5, 3), 50.0), 0.1, BURST | settings)
    assert plan.is_bound is is_bound
    assert plan.lower >= plan.cost or not is_bound


def test_partitions_are_not_divided() -> None:
    """Five equal partitions on three replicas: one of these serves two, as with four replicas."""
    rates = np.full((4, 5), 60.0)
    plan = clairvoyant_plan(rates, 1.0, BURST)
    assert plan.replicas.tolist() == [5] * 4
    whole = clairvoyant_plan(rates, 1.0, BURST | {"heartbeat_s": 0.1})
    assert whole.replicas.tolist() == [4] * 4


def test_a_late_start_is_paid() -> None:
    """A replica that starts for ten seconds costs these once it is needed."""
    rates = np.array([[80.0, 10.0]] * 20 + [[80.0, 80.0]] + [[80.0, 10.0]] * 20)
    at_once, later = (
        clairvoyant_plan(rates, 1.0, BURST | {"startup_s": startup_s}).lower
        for startup_s in (0.0, 10.0)
    )
    assert at_once == pytest.approx(42.0)
    assert later == pytest.approx(41.0 + 10.0, abs=1.0)


def test_waiting_events_may_be_served_in_the_next_step() -> None:
    """Uniform arrivals: the plan does not defer, the bound does."""
    rates = np.tile([[230.0], [150.0]], (20, 1))
    settings = {"max_replicas": 1, "mu": 200.0}
    plan = clairvoyant_plan(rates, 1.0, settings)
    late = figures(simulate(rates, "constant", settings=settings), rates, 1.0)[1]
    assert (plan.is_bound, plan.proved) == (False, True)
    assert plan.late == pytest.approx(20 * 30.0)
    assert late == 0.0
    assert plan.lower <= 40.0 < plan.cost


def test_overload_is_late_whatever_is_carried_over() -> None:
    """One replica for 60 s of twice its rate: half is late but what fits into the window."""
    rates = np.full((60, 1), 400.0)
    settings = {"mu": 200.0, "wsla_s": 0.5025}
    plan = clairvoyant_plan(rates, 1.0, settings)
    assert plan.lower == pytest.approx(60.0 + 12000.0 - 100.0, rel=1e-3)
    seconds, late = figures(simulate(rates, "constant", settings=settings), rates, 1.0)
    assert plan.lower <= seconds + late


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_a_concave_function_of_the_weight(seed: int) -> None:
    """It grows with the weight, and never faster than the late events of the plan before."""
    rng = np.random.default_rng(3000 + seed)
    settings = group(rng, 4)
    weights = np.linspace(0.0, 0.2, 21)
    plans = clairvoyant_plans(workload(rng, 30, 4, 200.0), weights.tolist(), settings)
    costs = np.array([plan.cost for plan in plans])
    assert (np.diff(costs) >= -1e-9).all()
    assert (np.diff(costs, 2) <= 1e-9).all()
    assert (np.diff([plan.lower for plan in plans]) >= -1e-9).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_unit_of_events_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(4000 + seed)
    settings = group(rng, 3)
    rates = workload(rng, 20, 3, 200.0)
    # Half a service time depends on the unit, so the window must not.
    one = clairvoyant_plan(rates, 0.04, settings | {"wsla_s": 0.4 + 0.5 / 200.0})
    other = clairvoyant_plan(
        4.0 * rates, 0.01, settings | {"wsla_s": 0.4 + 0.5 / 800.0, "mu": 800.0}
    )
    assert other.lower == pytest.approx(one.lower, rel=1e-9)
    assert other.replicas.tolist() == one.replicas.tolist()


def test_poisson_counts_are_those_of_the_simulation() -> None:
    rates = np.full((200, 3), 30.0)
    settings = BURST | {"poisson": True, "seed": 3}
    assert check_below(rates, BURST, ["constant"]) > 0
    plan = clairvoyant_plan(rates, 0.05, settings)
    assert plan.lower != clairvoyant_plan(rates, 0.05, BURST).lower
    assert plan.lower != clairvoyant_plan(rates, 0.05, settings | {"seed": 4}).lower


def test_varying_service_is_not_proved() -> None:
    plan = clairvoyant_plan(np.ones((3, 2)), 0.1, BURST | {"service_cv": 0.5})
    assert (plan.proved, plan.is_bound) == (False, False)


def test_without_enough_time_everything_is_late() -> None:
    """Half a service time is longer than the agreement allows."""
    rates = np.full((5, 2), 10.0)
    for arrivals in ("burst", "uniform"):
        settings = {"wsla_s": 0.002, "mu": 200.0, "arrivals": arrivals}
        plan = clairvoyant_plan(rates, 1.0, settings)
        assert plan.lower == pytest.approx(5.0 + 100.0, rel=1e-6)


def test_without_events_the_least_replicas_remain() -> None:
    for least in (0, 2):
        settings = {"min_replicas": least, "initial_replicas": 2}
        plan = clairvoyant_plan(np.zeros((7, 3)), 1.0, settings)
        assert (plan.lower, plan.cost, plan.late) == (7.0 * least, 7.0 * least, 0.0)


def test_same_inputs_same_bits() -> None:
    rng = np.random.default_rng(5)
    rates = workload(rng, 50, 4, 200.0)
    one, other = (clairvoyant_plan(rates, 0.02, BURST) for _ in range(2))
    assert one[:5] == other[:5]
    assert one.replicas.tolist() == other.replicas.tolist()


@pytest.mark.parametrize(
    ("rates", "weight", "settings", "message"),
    [
        (np.ones((2, 2)), -1.0, {}, r"weights\[0\] must be at least 0"),
        (np.ones((2, 2)), np.nan, {}, r"weights\[0\] must be a finite number"),
        (-np.ones((2, 2)), 1.0, {}, r"rates\[0, 0\] must be finite"),
        (np.ones((2, 2)), 1.0, {"step_s": "fast"}, "step_s must be a finite number"),
        (np.ones((2, 2)), 1.0, {"wsla_s": 0.0}, "wsla_s must be"),
        (np.ones((2, 2)), 1.0, {"speed": 3}, "unknown setting 'speed'"),
    ],
)
def test_wrong_input(rates: Array, weight: float, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        clairvoyant_plan(rates, weight, settings)


def test_weights_begin_where_an_event_is_worth_its_service() -> None:
    weights = plan_weights(100.0)
    assert weights[:3] == (0.0, 0.01, 0.02)
    with pytest.raises(InvalidParameterError, match="mu"):
        plan_weights(0.0)
