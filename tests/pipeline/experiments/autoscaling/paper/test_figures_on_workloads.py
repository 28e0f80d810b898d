"""What is said about the figures on published workloads, from results of simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import parse
from algorithms.simulation import Result
from algorithms.simulation.group_settings import PAPER_GROUP, check_settings, group_of
from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper.figure_kinds import Figure
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.experiments.autoscaling.published import FIGURES
from pipeline.inputs.traces.published_workloads import W1, W2
from pipeline.reporting.sections import published_figure
from pipeline.reporting.sections.published_figure import Row
from schemas.verdicts import BY_CONSTRUCTION, EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tools.layout import here

pytestmark = pytest.mark.unit

_ZEROS: dict[str, Any] = dict.fromkeys(Result._fields, 0)
NOTHING = Result(**_ZEROS)


def field_of(figure: Figure) -> str:
    """Field of the simulation that a figure is compared with."""
    return figure.key.rpartition(": ")[2]


def results_like(figures: list[Figure]) -> dict[str, Result]:
    """Results that show every figure as printed."""
    results: dict[str, Result] = {}
    for figure in figures:
        key = f"{figure.workload}: {figure.candidate}"
        field: dict[str, Any] = {field_of(figure): figure.value.value}
        results[key] = results.get(key, NOTHING)._replace(**field)
    return results


def on(workload: str) -> list[Figure]:
    return [figure for figure in FIGURES if figure.workload.startswith(workload)]


def rows(workload: str, results: dict[str, Result]) -> list[Row]:
    return list(published_figure.rows(on(workload), PaperRun(results)))


def test_all_published_figures_are_there() -> None:
    """4 strategies in 2 tables, 22 figures in the text; of these, 6 are compared in 2 settings."""
    assert len(FIGURES) == 2 * 16 + 22 + 6
    assert all(math.isfinite(figure.value.value) for figure in FIGURES)


def test_every_candidate_starts() -> None:
    for figure in FIGURES:
        (candidate,) = parse(figure.candidate, 5, 100.0, 0.5)
        strategy = registry.get(candidate.strategy)
        settings = {**PAPER_GROUP, **candidate.settings}
        checked = check_settings(settings, 5, strategy.decision_s, strategy.observe)
        group = group_of(checked, np.full(5, 30.0))
        assert strategy.start(group, **candidate.arguments) is not None


def test_computed_figures_are_exact_or_not_reproduced() -> None:
    figures = on("W1")
    results = results_like(figures)
    equal = rows("W1", results)
    assert len({row["figure_key"] for row in equal}) == len(equal) == len(figures)
    assert [row["verdict"] for row in equal] == [
        BY_CONSTRUCTION
        if figure.by_construction
        else NOT_COMPARABLE
        if figure.incomparable
        else EXACT
        for figure in figures
    ]
    constructed = [row["figure_key"] for row in equal if row["verdict"] == BY_CONSTRUCTION]
    assert len(constructed) == 2
    assert all("overprovision" in key for key in constructed)
    assert {row["difference"] for row in equal if row["published"] != "< 1"} == {"="}
    moved = {key: result._replace(replica_minutes=1e6) for key, result in results.items()}
    for row, figure in zip(rows("W1", moved), figures, strict=True):
        if field_of(figure) == "replica_minutes":
            expected = NOT_COMPARABLE if figure.incomparable else NOT_REPRODUCED
            assert row["verdict"] == expected
            assert (row["difference"], row["our_value"]) == ("+", 1e6)


def test_the_uncut_workload_is_shown_and_not_judged() -> None:
    figures = [figure for figure in FIGURES if figure.value.text == "414.11"]
    assert [("cut" in each.workload, each.incomparable) for each in figures] == [
        (True, ""),
        (False, "measured on a cluster"),
    ]


def test_figures_without_a_simulation_have_no_value() -> None:
    figures = rows("W2", {})
    assert {(row["verdict"], row["note"], row["ours"]) for row in figures} == {
        (NOT_COMPARABLE, "not run", "–")
    }


def test_a_simulation_without_events_has_no_latency_to_compare() -> None:
    without: Any = {"max": None}
    results = {key: one._replace(**without) for key, one in results_like(on("W1")).items()}
    (row,) = (row for row in rows("W1", results) if row["published"] == "< 1")
    assert (row["verdict"], row["ours"], row["our_value"]) == (NOT_COMPARABLE, "–", None)
    assert row["difference"] is None


def test_a_run_without_a_workload_has_figures_that_need_none() -> None:
    papers = {figure.source for figure in published.figures(())}
    assert not papers & {figure.source for figure in FIGURES}
    assert len(published.figures({W1, W2})) == len(FIGURES) + len(published.figures(()))


def test_the_page_shows_every_figure() -> None:
    page = (here().root / "docs" / "autoscaling.md").read_text()
    for figure in FIGURES:
        if field_of(figure) != "max":
            number = f"{figure.value.value:.{figure.value.decimals}f}"
            assert f"| {number}: " in page, figure


def test_linear_is_judged_alike_on_both_workloads() -> None:
    """It follows from the rate alone, so that its cost and scalings are computed."""
    linear = [each for each in FIGURES if each.strategy == "Linear"]
    for figure in linear:
        assert bool(figure.incomparable) == (field_of(figure) == "sla_percent")
    assert {each.workload[:2] for each in linear if not each.incomparable} == {"W1", "W2"}
