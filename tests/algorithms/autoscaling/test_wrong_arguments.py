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
        ({"partitions": 0}, "partitions must be between 1 and"),
        ({"mu": 0.0}, "mu must"),
        ({"mu": float("inf")}, "mu must"),
        ({"mu": "fast"}, "mu must"),
        ({"wsla_s": -0.5}, "wsla_s must"),
        ({"step_s": 0.0}, "step_s must"),
        ({"decision_s": 0.0}, "decision_s must"),
        ({"step_s": 2.0}, "decision_s must be a multiple of step_s, 2.0 s .*1.0"),
        ({"decision_s": 1.5}, "decision_s must be a multiple of step_s, 1.0 s .*1.5"),
        ({"rebalance_s": -1.0}, "rebalance_s must"),
        ({"startup_s": -1.0}, "startup_s must"),
        ({"min_replicas": 6}, "min_replicas must"),
        ({"min_replicas": -1}, "min_replicas must"),
        ({"max_replicas": 0}, "max_replicas must"),
        ({"initial_replicas": 0}, "initial_replicas must"),
        ({"initial_replicas": 6}, "initial_replicas must"),
        ({"burst": 1}, "burst must be true or false .*1"),
        ({"seed": -1}, "seed must"),
        ({"peaks": np.ones(4)}, r"peaks must have shape \(5,\)"),
        ({"peaks": np.full(5, -1.0)}, r"peaks\[0\] must be finite and at least 0"),
        ({"assignor": "ring"}, "assignor must be one of range, .*'ring'"),
        ({"heartbeat_s": -1.0}, "heartbeat_s must"),
        ({"move_pause_s": -1.0}, "move_pause_s must"),
        ({"protocol": "lazy"}, "protocol must be one of eager, cooperative, .*'lazy'"),
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
        ("linear", {"f_up": 1.1}, "f_up must be above 0 and at most 1 .*1.1"),
        ("linear", {"f_down": 0.0}, "f_down must be above 0 and at most 1 .*0"),
        ("linear", {"f_down": 0.9}, "f_down must be above 0 and below f_up.*f_down 0.9, f_up 0.9"),
        ("least_loaded_2", {"f_up": 0.3}, "f_down 0.4, f_up 0.3"),
        ("BFD", {"f_up": 0.0}, "f_up must be above 0 and at most 1 .*0"),
        ("threshold", {"t_in": 150.0}, "t_in must be below t_out .*t_in 150.0, t_out 150.0"),
        ("threshold", {"t_in": -1.0}, "t_in must be at least 0"),
        ("threshold", {"k_max": 0}, "k_max must be between 1 and"),
        ("queueing", {"r_max": 0.0}, "r_max must"),
        ("queueing", {"ca": -1.0}, "ca must be at least 0"),
        ("queueing", {"k_max": 2.5}, "k_max must be an integer"),
        ("queueing", {"estimate": "yes"}, "estimate must be true or false .*yes"),
        ("queueing_paths", {"r_max": 0.0}, "r_max must"),
        ("queueing_paths", {"alpha": 1.5}, "alpha must be at least 0 and at most 1 .*1.5"),
        ("headroom", {"h": 0.0}, "h must be above 0"),
        ("headroom", {"hold": -1.0}, "hold must be at least 0"),
        ("headroom", {"hold": 1e18}, r"hold must be at least 0 and at most 86400 \(got 1e\+18\)"),
        ("headroom+placement", {"hold": 1e12}, "hold must be at least 0 and at most 86400"),
        (
            "keda_hpa",
            {"scale_down": Behaviour(1e18, "Max", (Policy("Pods", 1, 15),))},
            r"scale_down.window_s must be at least 0 and at most 86400 \(got 1e\+18\)",
        ),
        ("optimal", {"capacity": 0.0}, "capacity must be above 0"),
        ("shadow_hedge", {"w": 0.0}, "w must be above 0"),
        ("shadow_hedge", {"move_cost": -1.0}, "move_cost must be at least 0"),
        ("keda_hpa", {"threshold": 0}, "threshold must be between 1 and"),
        ("keda_hpa", {"activation": -1}, "activation must be between 0 and"),
        ("keda_hpa", {"tolerance_up": -0.1}, "tolerance_up must be at least 0"),
        ("keda_hpa", {"polling_s": 0.0}, "polling_s must be above 0"),
        ("keda_hpa", {"idle_s": -1.0}, "idle_s must be at least 0"),
        (
            "keda_hpa",
            {"ensure_even": True, "limit_to_partitions_with_lag": True},
            "only one of .*limit_to_partitions_with_lag and ensure_even",
        ),
        (
            "keda_hpa",
            {"scale_down": Behaviour(0, "Max", (Policy("Percent", 120, 15),))},
            r"scale_down.policies\[0\].value must be at least 0 and at most 100 .*120",
        ),
    ],
)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        registry.get(name).start(cases.GROUP, **arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("headroom", {"hold": 10.0}, "hold must be at most 1,000,000 times decision_s, 1e-06 s"),
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
