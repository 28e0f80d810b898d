"""What a run or a recommendation writes can be given back: it is the same candidate."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import behaviour_texts, candidate_grid
from algorithms.autoscaling.candidates import Candidate, candidate
from algorithms.autoscaling.scaling_policies import SCALE_DOWN, SELECTS, TYPES, Behaviour, Policy
from algorithms.simulation import simulate
from live import strategy_kinds
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import candidate_runs, simulation_settings
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.settings import scaling_presets, strategy_names
from pipeline.settings.field_checks import FieldError
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS

pytestmark = pytest.mark.unit

GROUP = simulation_settings.check_alone({})
NUMBERS = st.one_of(st.integers(0, 10**6).map(float), st.floats(0.0, 1e12))
POLICIES = st.builds(Policy, st.sampled_from(TYPES), NUMBERS, NUMBERS)
BEHAVIOURS = st.one_of(
    st.builds(
        Behaviour, NUMBERS, st.sampled_from(SELECTS), st.lists(POLICIES, min_size=1, max_size=4)
        .map(tuple),
    ),
    st.builds(Behaviour, NUMBERS, st.just("Disabled"), st.just(())),
)  # fmt: skip


def read(label: str) -> Candidate:
    """The candidate of ``--strategy``."""
    (parsed,) = candidate_runs.parse([label], 9, GROUP)
    return parsed


def configured(label: str) -> Candidate:
    """The candidate of ``strategies`` in a configuration."""
    (written,) = strategy_names.resolve([label], 9, 200.0, 0.5, 1.0)
    (parsed,) = strategy_names.candidates_of([written])
    return parsed


@pytest.mark.parametrize("name", [n for n, p in PRESETS.items() if p.family == "autoscaling"])
def test_every_label_of_a_preset_can_be_given_back(name: str) -> None:
    if name == "autoscaling-papers":
        labels = {label for each in scaling_presets.PAPERS.values() for label in each["strategies"]}
    else:
        labels = {label for each in resolve(name, None, [], []).autoscaling
                  for label in each.strategies}  # fmt: skip
    assert labels
    for label in labels:
        if ":sweep" not in label and not label.startswith("all"):
            assert read(label).label == configured(label).label == label


@pytest.mark.parametrize("mu", [0.001, 3.7, 200.0, 1e12])
def test_every_candidate_of_a_recommendation_can_be_given_back(mu: float) -> None:
    for each in candidate_grid.compared(9, mu, 0.37):
        assert read(each.label) == configured(each.label) == each


@given(BEHAVIOURS, BEHAVIOURS)
def test_every_behaviour_can_be_given_back(up: Behaviour, down: Behaviour) -> None:
    written = candidate("keda_hpa", threshold=50, scale_up=up, scale_down=down)
    assert read(written.label) == configured(written.label) == written


def test_a_behaviour_is_simulated_as_it_is_written() -> None:
    rates = np.full((1200, 8), 20.0)
    rates[300:600] = 120.0
    labels = (
        "keda_hpa:threshold=100",
        "keda_hpa:threshold=100:scale_down=60s",
        "keda_hpa:threshold=100:scale_up=0s/Max/1pods@60s:scale_down=0s/Min/1pods@60s/50%@15s",
    )
    short = SCALE_DOWN._replace(window_s=60.0)
    slow = {
        "window_s": 0.0, "select": "Max",
        "policies": [{"type": "Pods", "value": 1, "period_s": 60}],
    }  # fmt: skip
    slower = Behaviour(0.0, "Min", (Policy("Pods", 1, 60.0), Policy("Percent", 50, 15.0)))
    arguments: tuple[dict[str, Any], ...] = (
        {},
        {"scale_down": short},
        {"scale_up": slow, "scale_down": slower},
    )
    group = simulation_settings.check_alone({})
    compared = candidate_runs.parse([",".join(labels)], 8, group)
    assert compared[1].label == "keda_hpa:threshold=100:scale_down=60s/Max/100%@15s"
    runs = candidate_runs.run(Workload("w", rates, 1.0, None), compared, {})
    figures = set()
    for run, own in zip(runs, arguments, strict=True):
        expected = simulate(rates, "keda_hpa", {"threshold": 100, **own})
        for name, value in expected._asdict().items():
            np.testing.assert_array_equal(getattr(run.detailed.result, name), value)
        figures.add(expected.replica_minutes)
    assert len(figures) == len(labels)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("60", "scale_down must be a window, .* such as 60s, .*got '60'"),
        ("60s/max", "scale_down must be a window, "),
        ("60s/Max/", "scale_down must be a window, "),
        ("60s/Max/4nodes@15s", "scale_down must be a window, "),
        ("60s/4pods", "scale_down must be a window, "),
        ("60s/101%@15s", r"scale_down.policies\[0\].value must be at least 0 and at most 100 "),
        ("60s/4pods@0s", r"scale_down.policies\[0\].period_s must be above 0"),
    ],
)
def test_other_behaviours_are_refused(text: str, words: str) -> None:
    label = f"keda_hpa:scale_down={text}"
    work = Workload("w", np.ones((3, 2)), 1.0, None)
    with pytest.raises(InputError, match=words):
        candidate_runs.run(work, candidate_runs.parse([label], 2, GROUP), {})
    with pytest.raises(FieldError, match=words):
        strategy_names.check(
            strategy_names.resolve([label], 2, 200.0, 0.5, 1.0), {"step_s": 1.0}, 2
        )


def test_null_stands_for_the_default() -> None:
    assert read("keda_hpa:decision_s=null:threshold=5").label == "keda_hpa:threshold=5"
    assert read("keda_hpa:scale_down=null") == Candidate("keda_hpa")
    values = simulation_settings.from_options(["mu=5", "mu=null", "decision_s=null", "steps=null"])
    assert values == ({}, {})


@pytest.mark.parametrize("label", ["headroom:hodl=null", "headroom:h=2:f_up=null", "ds2:step=null"])
def test_unknown_parameters_are_refused_even_with_null(label: str) -> None:
    name = label.split(":")[-1].partition("=")[0]
    words = f"unknown parameter '{name}'; must be an argument of {label.split(':')[0]} "
    with pytest.raises(InputError, match=re.escape(f"--strategy {label}: {words}")):
        candidate_runs.parse([label], 9, GROUP)
    with pytest.raises(FieldError, match=re.escape(f"`strategies[0]`: {words}")):
        strategy_names.resolve([label], 9, 200.0, 0.5, 1.0)
    with pytest.raises(InputError, match=re.escape(words)):
        strategy_kinds.parse(label, 9)


@pytest.mark.parametrize("value", ["[]", "{}", "[1.5]"])
def test_lists_are_no_values(value: str) -> None:
    """They could not be compared with other candidates."""
    one = read(f"linear:f_up={value}")
    assert len({one, one}) == 1
    work = Workload("w", np.ones((3, 2)), 1.0, None)
    with pytest.raises(InputError, match="f_up must be a finite number"):
        candidate_runs.run(work, [one], {})


def test_behaviour_texts_are_short() -> None:
    assert behaviour_texts.text(Behaviour(0.5, "Disabled", ())) == "0.5s/Disabled"
