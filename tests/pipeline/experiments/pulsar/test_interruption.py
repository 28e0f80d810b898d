"""Verdicts on the claim that scaling does not interrupt."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.experiments.pulsar import published
from pipeline.experiments.pulsar.published import Longer
from pipeline.reporting.sections import published_figure
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("executor", "low", "high", "verdict"),
    [
        ("stock", 0.3, 0.5, REPRODUCED),
        ("stock", -0.1, 0.5, OPEN),
        ("stock", -0.3, -0.1, NOT_REPRODUCED),
        ("extended", -0.01, 0.02, REPRODUCED),
        ("extended", -0.01, 0.03, OPEN),
        ("extended", 0.03, 0.04, NOT_REPRODUCED),
    ],
)
def test_intervals_decide(executor: str, low: float, high: float, verdict: str) -> None:
    assert published.says(executor, Longer((low + high) / 2, low, high, 30, 0.1)) == verdict


def changes(many: int, still: float = 0.1) -> Results:
    """Gaps of the stock executor are .4 s longer, those of the extended one as without a change."""
    rows = [
        row(executor, kind, after, gap + 0.001 * (place % 5))
        for executor, longer in (("stock", 0.4), ("extended", 0.0))
        for kind, after, gap in (
            ("up", 3, still + longer),
            ("down", 2, still + longer),
            ("none", 2, still),
            ("none", 3, still),
        )
        for place in range(many)
    ]
    return Results({"pulsar_changes": pd.DataFrame(rows)})


def row(executor: str, kind: str, after: int, gap_s: float) -> dict[str, Any]:
    return {"experiment": "x", "executor": executor, "kind": kind, "after": after, "gap_s": gap_s}


@pytest.mark.parametrize(("many", "verdict"), [(30, REPRODUCED), (29, NOT_COMPARABLE)])
def test_thirty_changes_each_way_have_a_verdict(many: int, verdict: str) -> None:
    experiment = PulsarExperiment(name="x", resizings=many, load_levels=(1.6,), first_instances=2)
    rows = list(published_figure.rows(published.figures([experiment]), changes(many)))
    assert [row["verdict"] for row in rows] == [verdict] * 4
    assert len({row["figure_key"] for row in rows}) == 4


def test_a_busy_machine_gets_no_verdict() -> None:
    experiment = PulsarExperiment(name="x", resizings=30, load_levels=(1.6,), first_instances=2)
    rows = published_figure.rows(published.figures([experiment]), changes(30, still=1.5))
    assert {row["verdict"] for row in rows} == {NOT_COMPARABLE}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"spacing": "constant"}, "constant spacing, utilisation 0.8"),
        (
            {"load_levels": (1.2, 9.0), "hold": "interruptible"},
            "exponential spacing, utilisation 0.6",
        ),
    ],
)
def test_the_workload_is_that_of_the_experiment(settings: dict[str, Any], words: str) -> None:
    own: dict[str, Any] = {"load_levels": (1.6,), **settings}
    experiment = PulsarExperiment(name="x", resizings=30, first_instances=2, **own)
    (workload,) = {figure.workload for figure in published.figures([experiment])}
    assert workload.startswith(words)
    assert ("interruptible" in workload) is ("hold" in settings)


def test_functions_that_process_at_most_once_are_not_judged() -> None:
    experiment = PulsarExperiment(
        name="x",
        resizings=30,
        load_levels=(1.6,),
        first_instances=2,
        guarantee="atmost_once",
        hold="interruptible",
    )
    figures = list(published.figures([experiment]))
    rows = published_figure.rows(figures, changes(30))
    assert {row["verdict"] for row in rows} == {NOT_COMPARABLE}
    assert all("interruptible hold" in figure.workload for figure in figures)


def test_how_much_longer_a_gap_is() -> None:
    ours = published.longer(changes(30), "x", "stock", "up")
    assert ours.mean == pytest.approx(0.4)
    assert ours.low < 0.4 < ours.high


def test_gaps_are_compared_with_those_of_as_many_instances() -> None:
    """With two instances output pauses for .3 s, with three for .1 s, at a change or not."""
    gaps = {("up", 3): 0.1, ("none", 3): 0.1, ("down", 2): 0.3, ("none", 2): 0.3}
    rows = [
        row("extended", kind, after, gap + 0.001 * (place % 5))
        for (kind, after), gap in gaps.items()
        for place in range(30)
    ]
    results = Results({"pulsar_changes": pd.DataFrame(rows)})
    for kind, still in (("up", 0.1), ("down", 0.3)):
        ours = published.longer(results, "x", "extended", kind)
        assert ours.mean == pytest.approx(0.0)
        assert ours.still == pytest.approx(still + 0.002)
        assert published.says("extended", ours) == REPRODUCED


def test_windows_with_another_number_of_instances_are_no_comparison() -> None:
    rows = [row("stock", "down", 2, 0.5), row("stock", "none", 3, 0.1)] * 30
    ours = published.longer(Results({"pulsar_changes": pd.DataFrame(rows)}), "x", "stock", "down")
    assert ours.changes == 30
    assert published.says("stock", ours) == OPEN
