"""Section 5.2's figures, measured on Pulsar: from what policies did, step by step."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.experiments.pulsar import published
from pipeline.reporting.sections import published_figure, russo_russo_figures
from pipeline.reporting.sections.published_figure import Row
from pipeline.settings import pulsar_presets
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED

pytestmark = pytest.mark.unit

# Instances and mean response in three steps, as the paper orders its policies.
COURSES: dict[str, tuple[tuple[float, float], ...]] = {
    "threshold": ((3.0, 1.0), (3.01, 60.0), (4.99, 8.0)),
    "ds2": ((4.0, 1.0), (4.99, 6.0), (4.02, 1.0)),
    "queueing": ((5.0, 1.0), (5.0, 2.9), (5.0, 0.5)),
    "queueing_paths": ((5.0, 1.0), (5.0, 2.8), (6.0, 0.5)),
}


def night(**changes: Any) -> PulsarExperiment:
    ((name, settings),) = pulsar_presets.NIGHT.items()
    return PulsarExperiment(name=name, **{**settings, **changes})


def results(replicates: int, **courses: tuple[tuple[float, float], ...]) -> Results:
    """Runs with the extended executor, and one with the stock one, which is in no figure."""
    runs, steps = [], []
    placed = [("extended", number) for number in range(1, replicates + 1)] + [("stock", 1)]
    for executor, number in placed:
        for policy, course in (COURSES | courses).items():
            key = {"experiment": "night", "executor": executor, "policy": policy}
            instances, means = zip(*course, strict=True)
            totals = {"mean_instances": sum(instances) / 3, "mean_s": sum(means) / 3}
            runs.append({**key, "replicate": number, **totals})
            steps += [
                {**key, "replicate": number, "step": i, "instances": count, "mean_s": mean}
                for i, (count, mean) in enumerate(course, 1)
            ]
    # A step in which nothing came out has no mean.
    steps.append({**steps[0], "step": 4, "instances": 3.0, "mean_s": None})
    return Results({"pulsar_runs": pd.DataFrame(runs), "pulsar_steps": pd.DataFrame(steps)})


def judged(run: Results, experiment: PulsarExperiment) -> dict[str, Row]:
    rows = list(published_figure.rows(published.figures([experiment]), run))
    return {row["figure_key"].rpartition(": ")[2]: row for row in rows}


def test_repeats_decide_once_most_seeds_must_agree() -> None:
    rows = judged(results(6), night(replicates=6))
    assert len(rows) == len(russo_russo_figures.FIGURES)
    claims = [row for row in rows.values() if row["ours"] == "in 6 of 6 seeds"]
    assert len(claims) == 1 + 2 * 4
    assert {row["verdict"] for row in claims} == {REPRODUCED}
    # 5 of 5 leave it possible that it holds in half of all seeds only.
    assert judged(results(5), night(replicates=5))["queueing_mean"]["verdict"] == OPEN
    assert rows["threshold_peak_s"]["our_value"] == 60.0
    assert rows["threshold_peak_s"]["verdict"] == NOT_COMPARABLE
    assert {row["its_strategy"].endswith("extended executor") for row in rows.values()} == {True}


def test_instances_of_a_step_that_begins_with_a_change_are_whole() -> None:
    rows = judged(results(6), night(replicates=6))
    assert rows["threshold_bounds"]["ours"] == "in 6 of 6 seeds"
    wide = ((3.0, 1.0), (3.0, 60.0), (7.98, 8.0))
    rows = judged(results(6, threshold=wide), night(replicates=6))
    assert rows["threshold_bounds"]["ours"] == "in 0 of 6 seeds"
    assert rows["threshold_bounds"]["verdict"] == NOT_REPRODUCED


def test_fewer_repeats_are_shown_without_a_verdict() -> None:
    rows = judged(results(3), night())
    assert rows["queueing_mean"]["ours"] == "in 3 of 3 seeds"
    assert rows["queueing_mean"]["verdict"] == OPEN
    assert rows["queueing_mean"]["note"] == (
        "3 repeats, not 5; preset `applications` judges it over simulated seeds"
    )


@pytest.mark.parametrize(
    ("changes", "is_published"),
    [
        ({}, True),
        ({"receiver_queue": 1, "recognise_s": 0.4}, True),
        ({"policies": ("threshold", "ds2")}, False),
        ({"policies": ("threshold:t_in=1", "ds2", "queueing", "queueing_paths")}, False),
        ({"piece_s": 60.0}, False),
        ({"load_levels": (0.5, 1.5, 2.5, 3.5, 2.5, 1.0)}, True),
        ({"load_levels": (0.5,)}, False),
        ({"decision_s": 10.0}, False),
        ({"spacing": "constant"}, False),
        ({"guarantee": "atmost_once"}, False),
        ({"graph": "recognise"}, False),
    ],
)
def test_only_the_setting_of_the_paper_is_judged(
    changes: dict[str, Any], is_published: bool
) -> None:
    experiment = night(**changes)
    assert experiment.is_published is is_published
    assert bool(list(published.figures([experiment]))) is is_published


def test_scaled_presets_and_changes_are_not_of_section_5_2() -> None:
    for experiments in (pulsar_presets.SMOKE, pulsar_presets.SCALED, pulsar_presets.CHANGES):
        for name, settings in experiments.items():
            assert not PulsarExperiment(name=name, **settings).is_published


def test_the_smoke_has_the_policies_of_the_papers_figures() -> None:
    """Figures 4 to 8 are of three policies; what loads them leaves time to start a Pulsar."""
    ((name, settings),) = pulsar_presets.SMOKE.items()
    experiment = PulsarExperiment(name=name, **settings)
    names = {policy.partition(":")[0] for policy in experiment.policies}
    assert names == {"threshold", "queueing", "ds2"}
    assert experiment.seconds * experiment.amount <= 120.0
