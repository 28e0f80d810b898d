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
    "settings",
    [
        {"mu": 0.0},
        {"mu": np.nan},
        {"wsla_s": 0},
        {"step_s": 0.0},
        {"step_s": -1.0},
        {"decision_s": 0.0},
        {"decision_s": 1.5},
        {"decision_s": 1e20},
        {"decision_offset_s": 1.0},
        {"decision_offset_s": -0.1},
        {"startup_s": -1.0},
        {"heartbeat_s": -1.0},
        {"rebalance_s": -1.0},
        {"move_pause_s": -1.0},
        {"cooldown_s": -1.0},
        {"drain_limit_s": -1.0},
        {"drain_limit_s": np.inf},
        {"drain_limit_s": 1e9, "service_cv": 1.0},
        {"service_cv": -0.5},
        {"service_cv": 1e300},
        {"commit_s": 0.009},
        {"min_replicas": 4},
        {"min_replicas": -1},
        {"max_replicas": 0},
        {"max_replicas": 10**6 + 1},
        {"initial_replicas": 4},
        {"initial_replicas": 0},
        {"initial_replicas": 1.5},
        {"initial_replicas": 1, "min_replicas": 2},
        {"seed": -1},
        {"poisson": "yes"},
        {"arrivals": "even"},
        {"protocol": "lazy"},
        {"observe": "next"},
        {"observe": ["now"]},
        {"assignor": np.zeros(2)},
        {"assignor": "best"},
    ],
)
def test_wrong_settings_are_refused_by_name(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{next(iter(settings))} must be "):
        simulate(RATES, "constant", settings=settings)


def test_a_step_that_no_decision_fits_and_an_unknown_setting_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"^decision_s must be"):
        simulate(RATES, "constant", settings={"step_s": 7.0})
    with pytest.raises(InvalidParameterError, match="steps_s"):
        simulate(RATES, "constant", settings={"steps_s": 1.0})


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
    with pytest.raises(InvalidParameterError, match=r"^f_down .*f_up 0.3"):
        simulate(RATES, "linear", {"f_up": 0.3})
    with pytest.raises(InvalidParameterError, match="n of kd_n must be between 1 and 3"):
        simulate(RATES, "kd_4")


def test_defaults_depend_on_the_strategy_and_the_partitions() -> None:
    settings = check_settings(None, 7, 15.0, None)
    assert (settings.max_replicas, settings.decision_s, settings.observe) == (7, 15.0, "last")
    assert check_settings({"decision_s": None}, 7, 30.0, "now").observe == "now"
    chosen = check_settings({"decision_s": 5, "observe": "last"}, 7, 30.0, "now")
    assert (chosen.decision_s, chosen.observe) == (5.0, "last")


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
