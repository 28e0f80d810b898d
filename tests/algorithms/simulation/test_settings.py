"""Wrong rates, settings and arguments are refused before anything runs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import AlgorithmError, InvalidParameterError
from algorithms.simulation import simulate
from algorithms.simulation.group_settings import check_settings

pytestmark = pytest.mark.unit

RATES = np.full((4, 3), 10.0)


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ([[1.0, np.nan]], r"rates\[0, 1\] must be finite and at least 0 events/s \(got nan\)"),
        ([[1.0], [np.inf]], r"rates\[1, 0\] must be finite .*\(got inf\)"),
        ([[-1.0]], r"rates\[0, 0\] must be .*at least 0 .*\(got -1.0\)"),
        ([[1.0, 2.0], [1.0]], "rates must be numbers, one row per step"),
        ([], r"rates must have shape \(steps, partitions\).*\(got \(0,\)\)"),
        ([[]], r"rates must have shape .*\(got \(1, 0\)\)"),
        ([1.0, 2.0], r"rates must have shape .*\(got \(2,\)\)"),
        ([["a"]], "rates must be numbers"),
    ],
)
def test_wrong_rates(rates: Any, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        simulate(rates, "constant")


@pytest.mark.parametrize(
    ("rates", "settings", "row"),
    [
        (np.full((3, 2), 1e308), {}, 0),
        (np.full((3, 2), 8e307), {"step_s": 1e-6, "decision_s": 1e-6}, 0),
        (np.full((3, 2), 1e304), {"step_s": 1e4, "decision_s": 1e4}, 0),
        ([[1.0], [1e300]], {"drain_limit_s": 1e9}, 1),
    ],
)
def test_events_that_no_float_can_count(rates: Any, settings: dict[str, Any], row: int) -> None:
    """Totals, lags and waiting times would be infinite."""
    with pytest.raises(
        InvalidParameterError, match=rf"rates\[{row}\] must add up to fewer events/s"
    ):
        simulate(rates, "linear", settings=settings)


def test_many_events_have_finite_figures() -> None:
    result = simulate(np.full((3, 2), 1e290), "linear", settings={"drain_limit_s": 0.0})
    assert np.isfinite([result.peak_lag, result.unconsumed, result.replica_minutes]).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mu": 0.0}, r"mu must be above 0 \(got 0.0\)"),
        ({"mu": np.nan}, r"mu must be a finite number \(got nan\)"),
        ({"wsla_s": 0}, "wsla_s must be above 0"),
        ({"step_s": 0.0}, r"step_s must be at least 1e-06 \(got 0.0\)"),
        ({"step_s": -1.0}, "step_s must be at least"),
        ({"decision_s": 0.0}, "decision_s must be above 0"),
        ({"decision_s": 1.5}, r"decision_s must be a multiple of step_s, 1.0 s \(got 1.5\)"),
        ({"step_s": 7.0}, r"decision_s must be a multiple of step_s, 7.0 s \(got 30.0\)"),
        ({"decision_s": 1e20}, r"decision_s must be at most 1,000,000 steps of 1.0 s \(got 1e"),
        ({"decision_offset_s": 1.0}, r"decision_offset_s must be .*below step_s, 1.0 s \(got 1.0"),
        ({"decision_offset_s": -0.1}, "decision_offset_s must be at least 0"),
        ({"startup_s": -1.0}, r"startup_s must be at least 0 \(got -1.0\)"),
        ({"heartbeat_s": -1.0}, "heartbeat_s must be at least 0"),
        ({"rebalance_s": -1.0}, "rebalance_s must be at least 0"),
        ({"move_pause_s": -1.0}, "move_pause_s must be at least 0"),
        ({"cooldown_s": -1.0}, "cooldown_s must be at least 0"),
        ({"drain_limit_s": -1.0}, "drain_limit_s must be at least 0"),
        ({"drain_limit_s": np.inf}, "drain_limit_s must be a finite number"),
        (
            {"drain_limit_s": 1e9, "service_cv": 1.0},
            r"drain_limit_s must be at most 1e\+06 s, 1,000,000 steps, where service_cv is above 0 "
            r"\(got 1e\+09\); lower it",
        ),
        ({"service_cv": -0.5}, r"service_cv must be at least 0 and at most 100 \(got -0.5\)"),
        ({"service_cv": 1e300}, r"service_cv must be at least 0 and at most 100 \(got 1e"),
        ({"min_replicas": 4}, r"min_replicas must be between 0 and 3 \(got 4\)"),
        ({"min_replicas": -1}, "min_replicas must be between 0"),
        ({"max_replicas": 0}, "max_replicas must be between 1"),
        ({"initial_replicas": 4}, r"initial_replicas must be between 1 and 3 \(got 4\)"),
        ({"initial_replicas": 0}, r"initial_replicas must be between 1 and 3 \(got 0\)"),
        ({"initial_replicas": 1.5}, "initial_replicas must be an integer"),
        ({"min_replicas": 2}, r"initial_replicas must be between 2 and 3 \(got 1\)"),
        ({"seed": -1}, "seed must be between 0"),
        ({"poisson": "yes"}, r"poisson must be true or false \(got 'yes'\)"),
        ({"arrivals": "even"}, r"arrivals must be one of uniform, burst \(got 'even'\)"),
        ({"protocol": "lazy"}, "protocol must be one of eager, cooperative, incremental"),
        ({"observe": "next"}, "observe must be one of last, now"),
        ({"observe": ["now"]}, r"observe must be one of last, now \(got \['now'\]\)"),
        ({"assignor": np.zeros(2)}, "assignor must be one of range, "),
        ({"assignor": "best"}, "assignor must be one of range, .*'best'"),
        ({"steps_s": 1.0}, "unknown setting 'steps_s'; choose one of step_s, arrivals,"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        simulate(RATES, "constant", settings=settings)


@pytest.mark.parametrize("value", [5, [1], ["mu"], "mu", {1: 2}])
def test_settings_and_arguments_that_are_no_mapping(value: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"settings must be a mapping .*\(got "):
        simulate(RATES, "linear", settings=value)
    with pytest.raises(InvalidParameterError, match=r"arguments must be a mapping .*\(got "):
        simulate(RATES, "linear", value)


@pytest.mark.parametrize("strategy", [None, 5, ["linear"]])
def test_strategies_that_are_neither_a_name_nor_a_strategy(strategy: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"strategy must be a name or a Strategy \(got"):
        simulate(RATES, strategy)


def test_wrong_strategies_and_arguments() -> None:
    with pytest.raises(AlgorithmError, match="unknown strategy 'magic'; choose one of constant,"):
        simulate(RATES, "magic")
    with pytest.raises(InvalidParameterError, match="unknown argument 'up' of linear"):
        simulate(RATES, "linear", {"up": 1.0})
    with pytest.raises(InvalidParameterError, match="f_down must be"):
        simulate(RATES, "linear", {"f_up": 0.3})
    with pytest.raises(InvalidParameterError, match="n of kd_n must be between 1 and 3"):
        simulate(RATES, "kd_4")


def test_defaults_depend_on_the_strategy_and_the_partitions() -> None:
    settings = check_settings(None, 7, 15.0, None)
    assert (settings.max_replicas, settings.decision_s, settings.observe) == (7, 15.0, "last")
    assert check_settings({"decision_s": None}, 7, 30.0, "now").observe == "now"
    given = check_settings({"decision_s": 5, "observe": "last"}, 7, 30.0, "now")
    assert (given.decision_s, given.observe) == (5.0, "last")


def test_rates_may_be_a_list_of_integers() -> None:
    assert simulate([[10, 20], [30, 40]], "constant").sla_percent == 100.0  # type: ignore[arg-type]


def test_settings_are_checked_without_compiling_anything() -> None:
    """Reading a configuration must not take the time that Numba takes to be imported."""
    code = (
        "import sys; from algorithms.simulation import simulate;"
        "from algorithms.simulation.group_settings import check_settings;"
        "check_settings({'mu': 100}, 5, 30.0, None); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
