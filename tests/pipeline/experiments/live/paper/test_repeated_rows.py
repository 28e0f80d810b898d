"""Which printed rows an experiment repeats."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.experiments.live.paper import repeated_rows
from pipeline.experiments.live.paper.repeated_rows import Workload, no_verdict, workload_of
from pipeline.inputs.traces.published_workloads import W1, W2, PublishedWorkload
from pipeline.reporting.sections.ezzeddine_figures import FIRST, LINEAR, OVERPROVISIONING, SECOND
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.presets import PRESETS
from tests.pipeline.experiments.live.paper.asked_runs import experiment

pytestmark = pytest.mark.unit

FIRST_WORKLOAD = Workload("W1", True)


def test_the_shape_of_a_workload_is_not_the_workload() -> None:
    assert workload_of(experiment(), None) == Workload("W1", False)
    assert workload_of(experiment(iterations=599), None) is None
    assert workload_of(experiment(high=1.5), None) is None
    assert workload_of(experiment(profile="diurnal"), None) is None


@pytest.mark.parametrize("published", [W1, W2])
def test_a_published_file_is_the_workload(published: PublishedWorkload) -> None:
    assert workload_of(experiment(), published) == Workload(published.name, True)
    assert workload_of(experiment(strategies=("kd_1",)), published) is None


@pytest.mark.parametrize(
    ("name", "changes", "place"),
    [
        ("equal-5", {}, "Table 2"),
        ("equal-5-sooner", {}, "Section 5.2"),
        ("equal-5-revoke-500ms", {}, "Section 5.3"),
        ("equal-5-revoke-2000ms", {}, "Section 5.3"),
        ("skew-9", {}, "Section 5.1"),
        ("equal-5", {"heartbeat_s": 1.0}, None),
        ("equal-5", {"split": "skew"}, None),
        ("equal-5", {"record_bytes": 1000}, None),
        ("skew-9", {"revoke_s": 0.5}, None),
    ],
)
def test_the_setting_says_which_rows(name: str, changes: dict[str, Any], place: str | None) -> None:
    rows = repeated_rows.repeated(experiment(name, **changes), FIRST_WORKLOAD)
    assert (rows and rows.place) == place


def test_all_strategies_of_the_night_are_the_papers_but_other_assignors() -> None:
    named = repeated_rows.strategies(experiment())
    assert set(named) == {FIRST, SECOND, LINEAR, OVERPROVISIONING}
    skewed = experiment("skew-9")
    named = repeated_rows.strategies(skewed)
    assert set(named) == {SECOND, LINEAR}
    assert "assignor=range" in named[LINEAR]
    assert len(skewed.strategies) == 5


@pytest.mark.parametrize("name", ["equal-5", "equal-5-revoke-2000ms"])
def test_an_algorithm_that_plans_with_another_rebalance_is_not_the_papers(name: str) -> None:
    one = experiment(name)
    crossed = [each for each in one.strategies if "rebalance_s" in each]
    assert len(crossed) == 1
    assert not repeated_rows.strategies(experiment(name, strategies=crossed))
    same = f"asking:least_loaded_2:rebalance_s={one.revoke_s}"
    assert set(repeated_rows.strategies(experiment(name, strategies=(same,)))) == {SECOND}


def test_the_night_of_two_hours_repeats_what_the_paper_measured() -> None:
    """Without a file it plays the shape."""
    rows = {}
    for name, settings in PRESETS["group-night-2h"].experiments.items():
        one = LiveExperiment(**{"name": name, **settings})
        workload = workload_of(one, None)
        assert workload == Workload("W2", False)
        repeated = repeated_rows.repeated(one, workload)
        assert repeated is not None
        rows[repeated.place] = set(repeated_rows.strategies(one))
    assert rows == {
        "Table 3": {SECOND, LINEAR},
        "Section 5.2": {SECOND},
        "Section 5.1": {SECOND, LINEAR},
    }


def test_an_algorithm_with_other_factors_is_not_the_papers() -> None:
    changed = experiment(strategies=("asking:least_loaded_2:f_up=0.8",))
    assert not repeated_rows.strategies(changed)


def test_verdicts_need_repeats_and_drifting_bursts() -> None:
    assert no_verdict(experiment()) == ""
    assert no_verdict(experiment(replicates=1)) == "one repeat"
    assert no_verdict(experiment(replicates=4)) == "4 repeats, not 5"
    assert "even" in no_verdict(experiment(arrivals="even"))


@pytest.mark.parametrize("preset", ["group", "group-smoke", "group-night-2h"])
def test_presets_without_repeats_have_no_verdicts(preset: str) -> None:
    for name, settings in PRESETS[preset].experiments.items():
        assert no_verdict(LiveExperiment(**{"name": name, **settings}))
