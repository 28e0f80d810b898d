"""The list of strategies, what they take, and how a live controller calls them."""

from __future__ import annotations

import dataclasses
import pickle
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from algorithms.assignment import Decision, Observation, assignors
from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling import Seen, registry
from algorithms.autoscaling.hpa import Behaviour, Policy
from algorithms.autoscaling.strategy import decide
from algorithms.autoscaling.strategy_list import STRATEGIES
from algorithms.core.arrays import Longs
from algorithms.core.compiled import allocating
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit

OWN = tuple(each.name for each in STRATEGIES)
UNTRAINED = tuple(name for name in OWN if name != "dqn")
COUNTING = tuple(each.name for each in STRATEGIES if each.family == "counting")
OTHERS = tuple(name for name in OWN if name not in COUNTING)
ASSIGNORS = assignors.names()
PARAMETRIC = ("kd_3", "SR_0.4", "BFD+M", "MWF+M+P")
PLACED = tuple(f"{name}+placement" for name in COUNTING)
CONTROLLED = tuple(f"controller:{name}+placement" for name in COUNTING if name[:4] != "keda")


@pytest.mark.parametrize(
    "name", [*OWN, *assignment_registry.names(), *PARAMETRIC, *PLACED, *CONTROLLED]
)
def test_entries_describe_themselves(name: str) -> None:
    strategy = registry.get(name)
    assert strategy.name == name
    assert strategy.title
    assert strategy.paper
    assert (strategy.family == "counting") == (name in COUNTING)
    assert (strategy.family == "assignor") == (name in ASSIGNORS)
    assert pickle.loads(pickle.dumps(strategy)) == strategy


@pytest.mark.parametrize(
    ("seconds", "names"),
    [
        (1.0, ("headroom", "linear", "least_loaded_1", "least_loaded_2", "ilp")),
        (1.0, ("keda_prometheus", "optimal", "overprovision", "shadow_hedge", "mpc", "dqn")),
        (15.0, ("keda_hpa", "keda_time_lag")),
        (30.0, ("constant", "threshold", "queueing", "ds2", "BFD", "MWF", *PARAMETRIC)),
        (30.0, ("queueing_paths", "time_threshold", *ASSIGNORS)),
    ],
)
def test_times_between_decisions(seconds: float, names: tuple[str, ...]) -> None:
    assert [registry.get(name).decision_s for name in names] == [seconds] * len(names)


@pytest.mark.parametrize("name", PLACED)
def test_placement_keeps_what_a_strategy_takes(name: str) -> None:
    counting, placed = registry.get(name.removesuffix("+placement")), registry.get(name)
    assert (placed.takes, placed.decision_s) == (counting.takes, counting.decision_s)
    assert set(placed.needs) == {*counting.needs, "rates", "owners", "replicas", "time"}
    assert placed.needs_with == counting.needs_with


@pytest.mark.parametrize("name", [*OTHERS, "BFD", "linear+M"])
def test_only_counting_strategies_can_be_placed(name: str) -> None:
    placed = f"{name}+placement"
    with pytest.raises(UnknownAlgorithmError, match=re.escape(repr(placed))):
        registry.get(placed)


def test_only_optimal_is_meant_to_see_the_present() -> None:
    assert [name for name in registry.names() if registry.get(name).observe] == ["optimal"]
    foreseeing = [name for name in registry.names() if registry.get(name).foresees]
    assert foreseeing == ["optimal", "overprovision"]
    assert not registry.get("linear+placement").foresees


def test_assignors_are_strategies_of_their_own() -> None:
    """Each is ``constant`` with that assignor: a group keeps its replicas."""
    strategies = {name: registry.get(name) for name in ASSIGNORS}
    assert {name: each.assignor for name, each in strategies.items()} == {n: n for n in ASSIGNORS}
    assert not any(registry.get(n).assignor for n in registry.names() if n not in ASSIGNORS)
    for each in strategies.values():
        assert type(each.start(cases.GROUP)).__name__ == "Constant"


def test_defaults_of_the_arguments() -> None:
    defaults = {name: dict(registry.get(name).arguments) for name in (*OWN, "BFD")}
    up = Behaviour(0.0, "Max", (Policy("Pods", 4, 15.0), Policy("Percent", 100, 15.0)))
    assert defaults == {
        "constant": {},
        **{name: {} for name in ASSIGNORS},
        "headroom": {"h": 1.2, "hold": 10.0},
        "linear": {"f_up": 0.9, "f_down": 0.4},
        "threshold": {"t_in": 50.0, "t_out": 150.0, "k_max": 15},
        "time_threshold": {"in_s": 10.0, "out_s": 30.0, "k_max": 15},
        "queueing": {"r_max": 1.0, "ca": 1.0, "cs": 1.0, "k_max": 15, "estimate": False},
        "queueing_paths": {"r_max": 1.0, "alpha": 0.5, "ca": 1.0, "cs": 1.0, "k_max": 15},
        "ds2": {},
        "keda_hpa": {
            "threshold": 10,
            "allow_idle": False,
            "limit_to_partitions_with_lag": False,
            "ensure_even": False,
            "exclude_persistent_lag": False,
            "activation": 0,
            "tolerance_up": 0.1,
            "tolerance_down": 0.1,
            "scale_up": up,
            "scale_down": Behaviour(300.0, "Max", (Policy("Percent", 100, 15.0),)),
            "polling_s": 30.0,
            "idle_s": 300.0,
            "per_topic": False,
        },
        "keda_prometheus": {
            **{"h": 1.2, "hold": 30.0, "window_s": 120.0, "scrape_s": 30.0, "scrape_phase": 0.5},
            **{"sync_s": 15.0, "phase_s": 0.0, "tolerance_up": 0.1, "tolerance_down": 0.1},
            "scale_up": Behaviour(0.0, "Max", (Policy("Pods", 100, 15.0),)),
            "scale_down": Behaviour(0.0, "Max", (Policy("Pods", 100, 15.0),)),
        },
        "keda_time_lag": {
            **{"target_s": 60.0, "scrape_s": 30.0, "tolerance_up": 0.1, "tolerance_down": 0.1},
            "scale_up": up,
            "scale_down": Behaviour(300.0, "Max", (Policy("Percent", 100, 15.0),)),
        },
        "least_loaded_1": {"f_up": 0.9, "f_down": 0.4},
        "least_loaded_2": {"f_up": 0.9, "f_down": 0.4},
        "ilp": {"f_up": 0.9, "f_down": 0.4, "replan": True},
        "optimal": {"capacity": 85.0},
        "overprovision": {"f_up": 0.9},
        "shadow_hedge": {"w": 0.3, "move_cost": 0.0},
        "mpc": {"w": 0.25, "horizon": 10, "scenarios": 8},
        "dqn": {"policy": ""},
        "BFD": {"f_up": 0.9},
    }


@pytest.mark.parametrize(
    "name",
    ["XF", "", "Linear", "linear ", "BFD+X", "kd_", "+placement", "linear+placement+placement"],
)
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownAlgorithmError) as caught:
        registry.get(name)
    message = str(caught.value)
    assert message.startswith(f"unknown strategy {name!r}")
    assert "; choose one of constant, headroom" in message
    assert ("did you mean linear?" in message) == (name.strip().lower() == "linear")
    assert all(strategy in message for strategy in (*OWN, "BFD", "kd_n", "SR_g"))


@pytest.mark.parametrize("name", ["kd_0", "SR_-1", "kd_1+M"])
def test_a_wrong_parameter_in_a_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError, match=name.split("+")[0].split("_")[0]):
        registry.get(name)


@pytest.mark.parametrize("name", ["linear", "BFD", "kd_9", "linear+placement"])
def test_a_name_is_registered_once(name: str) -> None:
    """Also not over the head of an algorithm, whose decisions it would replace."""
    strategy = dataclasses.replace(registry.get("linear"), name=name)
    with pytest.raises(InvalidParameterError, match=re.escape(f"{name!r} is already registered")):
        registry.register(strategy)


def test_the_list_is_read_without_importing_a_kernel() -> None:
    script = (
        "import sys\n"
        "from algorithms.autoscaling import registry\n"
        "assert dict(registry.get('keda_hpa').arguments) and registry.get('kd_7').title\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@allocating
def _in_turn(state: Any, seen: Seen, after: Longs, times: int) -> tuple[int, int]:
    replicas, kind = -1, 0
    for _ in range(times):
        replicas, kind = decide(state, seen, after)
    return replicas, kind


@pytest.mark.slow
@pytest.mark.parametrize("name", [*UNTRAINED, "MBF", "kd_3", "headroom+placement", "ds2+placement"])
def test_compiled_programs_and_live_controllers_get_the_same_decisions(name: str) -> None:
    """The live step also takes what is not contiguous, and rounds to six decimals.

    Only packing strategies place partitions. ``dqn`` needs a policy: see test_dqn_scaling.
    """
    rng = np.random.default_rng(5)
    known = np.full(5, 80.0)
    group = cases.GROUP._replace(peaks=known, means=known, decision_s=15.0)
    strategy = registry.get(name)
    seen = cases.seen(rng, group, time=15.0, owners=np.array([0, 0, 1, 1, 2]))
    state, after = strategy.start(group), np.empty(5, np.int64)
    replicas, kind = _in_turn(state, seen, after, 1)
    assert replicas < 0 or (kind > 0) == (strategy.family == "packing")
    observation = Observation(
        rates=(np.repeat(seen.rates, 2) + 3e-8)[::2],
        lags=(np.repeat(seen.lags, 2) + 3e-8)[::2],
        owners=seen.owners.astype(np.int32),
        replicas=seen.replicas,
        time=seen.time,
        consumed=seen.consumed,
        counts=seen.counts,
    )
    decision = strategy.step(strategy.start(group), observation)
    assert decision.replicas == (None if replicas == -1 else replicas)
    assert _listed(decision.ranks) == (after.tolist() if kind == 1 and replicas >= 0 else None)
    assert _listed(decision.owners) == (after.tolist() if kind == 2 else None)


def _listed(values: Any) -> list[int] | None:
    return None if values is None else values.tolist()


def test_two_states_do_not_meet() -> None:
    """Autoscalers remember proposals, each its own."""
    rng = np.random.default_rng(2)
    strategy, group = registry.get("keda_hpa"), cases.GROUP._replace(decision_s=15.0)
    after = np.empty(5, np.int64)
    high, low = (
        cases.seen(rng, group, time=15.0, lags=np.full(5, lag), replicas=5) for lag in (50.0, 2.0)
    )
    first, second = strategy.start(group), strategy.start(group)
    assert _in_turn(first, high, after, 1) == (5, 0)
    later = low._replace(time=315.0)
    assert _in_turn(second, later._replace(replicas=1), after, 1) == (1, 0)
    assert _in_turn(first, later, after, 1) == (1, 0)


def test_absent_partitions_have_neither_rate_nor_lag() -> None:
    strategy = registry.get("linear")
    present = np.array([True, False, False, False, True])
    rates = np.array([100.0, np.nan, 900.0, 900.0, 100.0])
    decision = strategy.step(strategy.start(cases.GROUP), Observation(rates=rates, present=present))
    assert decision == Decision(replicas=5)


RIGHT = {
    "rates": np.ones(5),
    "lags": np.ones(5),
    "owners": np.zeros(5, np.int32),
    "replicas": 1,
    "time": 15.0,
}


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("linear", {"rates": None}, "rates is required by linear"),
        ("least_loaded_1", {"owners": None}, "owners is required by least_loaded_1"),
        ("threshold", {"lags": None}, "lags is required by threshold"),
        ("keda_hpa", {"time": None}, "time is required by keda_hpa"),
        ("BFD", {"owners": None}, "owners is required by BFD"),
        ("linear", {"rates": np.ones(4)}, r"rates must have shape \(5,\).*\(4,\)"),
        ("linear", {"rates": np.full(5, -1.0)}, r"rates\[0\] must be finite and at least 0 .*-1"),
        ("linear", {"rates": np.full(5, np.nan)}, r"rates\[0\] must be finite .*nan"),
        ("threshold", {"lags": np.full(5, np.inf)}, r"lags\[0\] must be finite .*inf"),
        ("threshold", {"replicas": -1}, "replicas must be between 0 and .*-1"),
        ("BFD", {"owners": np.full(5, -2)}, "owners must be .*-2"),
        ("BFD", {"owners": np.zeros(4, np.int32)}, "owners must be int32"),
        ("BFD", {"owners": np.zeros(5)}, "owners must be int32"),
        ("keda_hpa", {"time": float("nan")}, "time must be a finite number"),
        ("keda_hpa", {"consumed": np.ones(5)}, r"consumed must be bool\[5\].*float64"),
        ("linear", {"present": np.ones(4, bool)}, r"present must be bool\[5\].*bool\[4\]"),
        ("linear", {"counts": np.array([-1.0])}, r"counts\[0\] must be finite and at least 0"),
    ],
)
def test_a_wrong_observation_is_refused(name: str, wrong: dict[str, Any], words: str) -> None:
    strategy = registry.get(name)
    state = strategy.start(cases.GROUP)
    with pytest.raises(InvalidParameterError, match=words):
        strategy.step(state, Observation(**{**RIGHT, **wrong}))


@pytest.mark.parametrize(
    ("name", "argument", "field"),
    [
        ("queueing", "estimate", "counts"),
        ("keda_hpa", "exclude_persistent_lag", "consumed"),
        ("queueing+placement", "estimate", "counts"),
    ],
)
def test_some_arguments_need_more_to_be_observed(name: str, argument: str, field: str) -> None:
    strategy = registry.get(name)
    strategy.step(strategy.start(cases.GROUP), Observation(**RIGHT))
    state = strategy.start(cases.GROUP, **{argument: True})
    with pytest.raises(InvalidParameterError, match=re.escape(f"{field} is required by {name}")):
        strategy.step(state, Observation(**RIGHT))
