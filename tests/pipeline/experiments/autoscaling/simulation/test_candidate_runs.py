"""Simulations of several candidates: how they are named, checked and run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.simulation import simulate
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import candidate_runs, simulation_settings
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads.workload_source import Workload

pytestmark = pytest.mark.unit

GROUP = simulation_settings.check_alone({})


def workload(step_s: float = 1.0) -> Workload:
    rates = np.full((60, 3), 50.0)
    rates[20:40] = 150.0
    return Workload("w", rates, step_s, None)


def labels(*texts: str) -> list[str]:
    return [one.label for one in candidate_runs.parse(texts, 3, GROUP)]


def run(*texts: str, step_s: float = 1.0, **settings: Any) -> list[CandidateRun]:
    compared = candidate_runs.parse(texts, 3, GROUP)
    return candidate_runs.run(workload(step_s), compared, settings)


def refusal(*texts: str, **settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        run(*texts, **settings)
    return str(caught.value)


def test_lists_sweeps_and_repetitions() -> None:
    assert labels("linear", "ds2, linear:f_up=0.8", "linear") == [
        "linear",
        "ds2",
        "linear:f_up=0.8",
    ]
    assert labels() == list(COMPARED)
    swept = labels("constant:sweep", "constant:initial_replicas=2")
    assert swept == ["constant", "constant:initial_replicas=2", "constant:initial_replicas=3"]


def test_a_run_is_that_of_the_simulation() -> None:
    """Parameters of a candidate take precedence over the settings of the group."""
    first, second = run("linear:f_up=0.8:rebalance_s=2", "linear", rebalance_s=1.0, mu=100.0)
    expected = simulate(
        workload().rates, "linear", {"f_up": 0.8}, {"rebalance_s": 2.0, "mu": 100.0}
    )
    assert (first.settings.rebalance_s, second.settings.rebalance_s) == (2.0, 1.0)
    for name, value in expected._asdict().items():
        np.testing.assert_array_equal(getattr(first.detailed.result, name), value)
    assert first.detailed.result.stalled_s > second.detailed.result.stalled_s > 0.0


def test_each_candidate_is_announced() -> None:
    seen: list[str] = []
    compared = candidate_runs.parse(["linear,constant"], 3, GROUP)
    candidate_runs.run(workload(), compared, {}, lambda one: seen.append(one.label))
    assert seen == ["linear", "constant"]


@pytest.mark.parametrize(
    ("step_s", "expected"), [(1.0, 15.0), (10.0, 20.0), (30.0, 30.0), (0.1, 15.0), (0.7, 15.4)]
)
def test_a_strategy_decides_at_whole_steps(step_s: float, expected: float) -> None:
    """By default: a time that is given and does not fit is an error, as in the simulation."""
    (simulated,) = run("keda_hpa", step_s=step_s)
    assert simulated.settings.decision_s == pytest.approx(expected)
    assert simulated.settings.step_s == step_s


@pytest.mark.parametrize(
    ("texts", "settings", "words"),
    [
        (["nothing"], {}, ("--strategy nothing: unknown strategy", "linear", "keda_hpa")),
        (["linear,"], {}, ("--strategy : unknown strategy",)),
        (["linear:f_up"], {}, ("--strategy linear:f_up: ", "NAME:PARAMETER=VALUE")),
        (["linear:fup=1"], {}, ("unknown parameter 'fup'", "linear (f_up, f_down)", "mu")),
        (["ds2:x=1"], {}, ("unknown parameter 'x'", "ds2 (none)")),
        (["linear:f_up=2"], {}, ("--strategy linear:f_up=2: f_up must be", "got 2")),
        (["linear:f_up=many"], {}, ("f_up must be a finite number", "'many'")),
        (["threshold:t_in=200"], {}, ("t_in must be below t_out",)),
        (["linear:step_s=5"], {}, ("step_s belongs to the workload",)),
        (["linear:mu=-1"], {}, ("--strategy linear:mu=-1: mu must",)),
        (["linear"], {"initial_replicas": 4}, ("initial_replicas must",)),
        (["linear"], {"decision_s": 1.5}, ("decision_s must be a multiple of step_s",)),
        (["linear"], {"decision_offset_s": 1}, ("decision_offset_s must be at least 0 and below",)),
        (["linear"], {"observe": "never"}, ("observe must be one of last, now", "'never'")),
    ],
)
def test_what_is_refused(texts: list[str], settings: dict[str, Any], words: tuple[str]) -> None:
    message = refusal(*texts, **settings)
    for part in words:
        assert part in message


def test_all_candidates_are_checked_before_the_first_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: object) -> None:
        raise AssertionError("a simulation has begun")

    monkeypatch.setattr(candidate_runs, "simulate_in_detail", fails)
    assert "f_down" in refusal("linear", "linear:f_down=0.95")
