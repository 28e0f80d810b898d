"""What is simulated for the published figures, and what is said about the results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import registry
from algorithms.simulation import Result, simulate
from algorithms.simulation.group_settings import check_settings, group_of
from pipeline.experiments.autoscaling.paper.reproduce_scaling import (
    comparisons,
    simulation_key,
    simulations,
)
from pipeline.experiments.autoscaling.published import FIGURES, Figure
from pipeline.inputs.traces.published_workloads import W1, W2, WORKLOADS, PublishedWorkload
from schemas.verdicts import BY_CONSTRUCTION, EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tools.layout import here

pytestmark = pytest.mark.unit

TOTAL = np.round(150.0 + 140.0 * np.sin(np.arange(240) / 30.0), 3)
"""An invented workload."""

_ZEROS: dict[str, Any] = dict.fromkeys(Result._fields, 0)
NOTHING = Result(**_ZEROS)


def results_like(figures: list[Figure]) -> dict[str, Result]:
    """Results that show every figure as printed."""
    results: dict[str, Result] = {}
    for figure in figures:
        key = simulation_key(figure)
        field: dict[str, Any] = {figure.measure.field: figure.printed.value}
        results[key] = results.get(key, NOTHING)._replace(**field)
    return results


def test_all_published_figures_are_there() -> None:
    """4 strategies in 2 tables, 22 figures in the text; of these, 6 are compared in 2 settings."""
    assert len(FIGURES) == 2 * 16 + 22 + 6
    assert all(math.isfinite(figure.printed.value) for figure in FIGURES)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_figure_has_one_simulation(workload: PublishedWorkload) -> None:
    runs = simulations(workload, TOTAL)
    keys = [run.key for run in runs]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {simulation_key(each) for each in FIGURES if each.workload == workload}
    for run in runs:
        assert run.rates.shape == (TOTAL.size, 9 if "skew" in run.key else 5)


def test_every_candidate_starts() -> None:
    for run in simulations(W1, TOTAL):
        strategy = registry.get(run.candidate.strategy)
        settings = check_settings(
            run.settings, run.rates.shape[1], strategy.decision_s, strategy.observe
        )
        group = group_of(settings, run.rates.max(axis=0))
        assert strategy.start(group, **run.candidate.arguments) is not None


def test_computed_figures_are_exact_or_not_reproduced() -> None:
    figures = [figure for figure in FIGURES if figure.workload == W1]
    results = results_like(figures)
    equal = comparisons(W1, results)
    assert len(equal) == len(figures)
    assert len({row.key for row in equal}) == len(equal)
    assert [row.verdict for row in equal] == [
        BY_CONSTRUCTION
        if figure.holds_by_construction
        else EXACT
        if figure.computed
        else NOT_COMPARABLE
        for figure in figures
    ]
    constructed = [row.key for row in equal if row.verdict == BY_CONSTRUCTION]
    assert len(constructed) == 2
    assert all("overprovision" in key for key in constructed)
    assert {row.difference for row in equal if row.published != "< 1"} == {"="}
    moved = {key: result._replace(replica_minutes=1e6) for key, result in results.items()}
    for row, figure in zip(comparisons(W1, moved), figures, strict=True):
        if figure.measure.field == "replica_minutes":
            assert row.verdict == (NOT_REPRODUCED if figure.computed else NOT_COMPARABLE)
            assert (row.difference, row.ours_value) == ("+", 1e6)


def test_the_uncut_workload_is_shown_and_not_judged() -> None:
    rows = [row for row in comparisons(W2, {}) if row.published == "414.11"]
    assert len(rows) == 2
    figures = [figure for figure in FIGURES if figure.text == "414.11"]
    assert [(each.partitioning.as_read, each.computed) for each in figures] == [
        (True, True),
        (False, False),
    ]


def test_figures_without_a_simulation_have_no_value() -> None:
    rows = comparisons(W2, {})
    assert {(row.verdict, row.note, row.ours) for row in rows} == {(NOT_COMPARABLE, "not run", "–")}


def test_simulations_end_in_comparisons() -> None:
    """Optimal, against the least n with ceil(5 / n) partitions below 85 events/s."""
    runs = simulations(W1, TOTAL)
    optimal = next(run for run in runs if run.candidate.strategy == "optimal")
    result = simulate(
        optimal.rates,
        optimal.candidate.strategy,
        optimal.candidate.arguments,
        optimal.settings,
    )
    counts = []
    for total in np.ceil(TOTAL):
        fitting = [n for n in (1, 2, 3, 4) if -(-5 // n) * (total / 5) < 85.0]
        counts.append(min([*fitting, 5]))
    row = next(
        row
        for row in comparisons(W1, {optimal.key: result})
        if row.strategy == "Optimal" and row.figure == "replica-minutes"
    )
    assert row.ours_value == pytest.approx(sum(counts) / 60.0)
    assert len(set(counts)) > 3, "the workload must need several numbers of replicas"


def test_the_page_shows_every_figure() -> None:
    page = (here().root / "docs" / "autoscaling.md").read_text()
    for figure in FIGURES:
        if figure.measure.field != "max":
            number = f"{figure.printed.value:.{figure.printed.decimals}f}"
            assert f"| {number}: " in page, figure


def test_linear_is_judged_alike_on_both_workloads() -> None:
    """It follows from the rate alone, so that its cost and scalings are computed."""
    linear = [each for each in FIGURES if each.run.strategy == "Linear"]
    for figure in linear:
        assert figure.computed == (figure.measure.field != "sla_percent")
    assert {each.workload for each in linear if each.computed} == {W1, W2}
