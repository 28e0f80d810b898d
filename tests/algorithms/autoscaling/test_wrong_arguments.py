"""Groups and arguments that strategies refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import Group, registry
from algorithms.autoscaling.hpa import Behaviour, Policy
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"partitions": 0}, "^partitions "),
        ({"mu": 0.0}, "^mu "),
        ({"mu": float("inf")}, "^mu "),
        ({"mu": "fast"}, "^mu "),
        ({"wsla_s": -0.5}, "^wsla_s "),
        ({"step_s": 0.0}, "^step_s "),
        ({"decision_s": 0.0}, "^decision_s "),
        ({"step_s": 2.0}, "^decision_s .*1.0"),
        ({"decision_s": 1.5}, "^decision_s .*1.5"),
        ({"rebalance_s": -1.0}, "^rebalance_s "),
        ({"startup_s": -1.0}, "^startup_s "),
        ({"min_replicas": 6}, "^min_replicas "),
        ({"min_replicas": -1}, "^min_replicas "),
        ({"max_replicas": 0}, "^max_replicas "),
        ({"initial_replicas": 0}, "^initial_replicas "),
        ({"initial_replicas": 6}, "^initial_replicas "),
        ({"burst": 1}, "^burst .*1"),
        ({"seed": -1}, "^seed "),
        ({"peaks": np.ones(4)}, "^peaks "),
        ({"means": np.ones(4)}, "^means "),
        ({"peaks": np.full(5, -1.0)}, r"^peaks\[0\] "),
        ({"assignor": "ring"}, "^assignor .*'ring'"),
        ({"heartbeat_s": -1.0}, "^heartbeat_s "),
        ({"move_pause_s": -1.0}, "^move_pause_s "),
        ({"protocol": "lazy"}, "^protocol .*'lazy'"),
    ],
)
def test_a_wrong_group_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        registry.get("constant").start(cases.GROUP._replace(**wrong))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("linear", {"f_in": 1.0}, "unknown argument 'f_in' of linear; choose one of f_up, f_down"),
        ("ds2", {"f_up": 1.0}, r"unknown argument 'f_up' of ds2; choose one of \(none\)"),
        ("linear", {"f_up": 1.1}, "^f_up .*1.1"),
        ("linear", {"f_down": 0.0}, "^f_down .*0"),
        ("linear", {"f_down": 0.9}, "^f_down .*f_down 0.9, f_up 0.9"),
        ("least_loaded_2", {"f_up": 0.3}, "f_down 0.4, f_up 0.3"),
        ("BFD", {"f_up": 0.0}, "^f_up .*0"),
        ("threshold", {"t_in": 150.0}, "^t_in .*t_in 150.0, t_out 150.0"),
        ("threshold", {"t_in": -1.0}, "^t_in "),
        ("threshold", {"k_max": 0}, "^k_max "),
        ("queueing", {"r_max": 0.0}, "^r_max "),
        ("queueing", {"ca": -1.0}, "^ca "),
        ("queueing", {"k_max": 2.5}, "^k_max "),
        ("queueing", {"estimate": "yes"}, "^estimate .*yes"),
        ("queueing_paths", {"r_max": 0.0}, "^r_max "),
        ("queueing_paths", {"alpha": 1.5}, "^alpha .*1.5"),
        ("headroom", {"h": 0.0}, "^h "),
        ("headroom", {"hold": -1.0}, "^hold "),
        ("headroom", {"hold": 1e18}, r"^hold .*1e\+18"),
        ("headroom+placement", {"hold": 1e12}, "^hold "),
        (
            "keda_hpa",
            {"scale_down": Behaviour(1e18, "Max", (Policy("Pods", 1, 15),))},
            r"^scale_down.window_s .*1e\+18",
        ),
        ("ilp", {"f_up": 0.3}, "f_down 0.4, f_up 0.3"),
        ("optimal", {"capacity": 0.0}, "^capacity "),
        ("shadow_hedge", {"w": 0.0}, "^w "),
        ("shadow_hedge", {"move_cost": -1.0}, "^move_cost "),
        ("keda_hpa", {"threshold": 0}, "^threshold "),
        ("keda_hpa", {"activation": -1}, "^activation "),
        ("keda_hpa", {"tolerance_up": -0.1}, "^tolerance_up "),
        ("keda_hpa", {"polling_s": 0.0}, "^polling_s "),
        ("keda_hpa", {"idle_s": -1.0}, "^idle_s "),
        (
            "keda_hpa",
            {"ensure_even": True, "limit_to_partitions_with_lag": True},
            "only one of .*limit_to_partitions_with_lag and ensure_even",
        ),
        (
            "keda_hpa",
            {"scale_down": Behaviour(0, "Max", (Policy("Percent", 120, 15),))},
            r"^scale_down.policies\[0\].value .*120",
        ),
    ],
)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        registry.get(name).start(cases.GROUP, **arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("headroom", {"hold": 10.0}, "^hold .*1,000,000"),
        (
            "keda_hpa",
            {},
            r"window_s of scale_up and scale_down must be at most 1,000,000 times .*\(got 300\)",
        ),
    ],
)
def test_windows_of_too_many_decisions_are_refused(
    name: str, arguments: dict[str, Any], words: str
) -> None:
    """They would take more memory than there is."""
    group = cases.GROUP._replace(step_s=1e-6, decision_s=1e-6)
    with pytest.raises(InvalidParameterError, match=words):
        registry.get(name).check(group, **arguments)


def test_overprovision_needs_peaks() -> None:
    with pytest.raises(InvalidParameterError, match="peaks is required by overprovision"):
        registry.get("overprovision").start(cases.GROUP)


def test_a_static_group_needs_a_partition_per_consumer() -> None:
    with pytest.raises(InvalidParameterError, match=r"n of kd_n must be between 1 and 5 .*6"):
        registry.get("kd_6").start(cases.GROUP)


def test_numbers_of_a_group_may_be_numpy_s() -> None:
    """They become plain ones, so that states of one strategy are of one compiled type."""
    group = Group(*(np.float64(v) if isinstance(v, float) else v for v in cases.GROUP))
    state = registry.get("linear").start(group._replace(max_replicas=np.int64(5), mu=100))
    assert [type(value) for value in state] == [int, float, float]
