"""Claims on the application of three functions: judged by how many seeds they hold in."""

from __future__ import annotations

import pytest

from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper.application_runs import (
    POLICIES,
    ApplicationFigures,
    Policies,
    simulate_seed,
)
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure
from pipeline.reporting.sections.published_figure import Row
from schemas.verdicts import NO_INTERVAL, NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED

pytestmark = pytest.mark.unit

AS_PUBLISHED = {
    "threshold": ApplicationFigures(3.5, 3, 7, 23.0, 74.0),
    "ds2": ApplicationFigures(4.5, 3, 8, 2.7, 26.0),
    "queueing": ApplicationFigures(5.0, 3, 9, 1.03, 3.0),
    "queueing_paths": ApplicationFigures(5.0, 3, 9, 1.03, 3.0),
}


def by_key(runs: list[Policies]) -> dict[str, Row]:
    figures = [one for one in published.figures(()) if one.place == "Section 5.2"]
    rows = list(published_figure.rows(figures, PaperRun(applications=runs)))
    keyed = {row["figure_key"].removeprefix("Russo Russo 2021: "): row for row in rows}
    assert len(keyed) == len(rows), "two rows share a key"
    return keyed


def with_peak(peak_s: float) -> Policies:
    return {**AS_PUBLISHED, "queueing": AS_PUBLISHED["queueing"]._replace(peak_s=peak_s)}


def test_the_published_figures_support_the_claims() -> None:
    rows = by_key([AS_PUBLISHED] * 30)
    claims = [row for row in rows.values() if row["ours"] == "in 30 of 30 seeds"]
    assert len(claims) == 1 + 2 * 4
    assert {row["verdict"] for row in claims} == {REPRODUCED}
    numbers = [row for row in rows.values() if row not in claims]
    assert len(numbers) == 3 * len(POLICIES)
    assert {row["verdict"] for row in numbers} == {NOT_COMPARABLE}
    assert {row["difference"] for row in numbers if "above" not in row["published"]} == {"="}


@pytest.mark.parametrize(
    ("failing", "verdict", "stricter"),
    [
        (1, REPRODUCED, "also in 95%"),
        (4, REPRODUCED, "not in 95%"),
        (10, OPEN, "not in 95%"),
        (21, NOT_REPRODUCED, "not in 95%"),
    ],
)
def test_a_claim_holds_in_most_seeds(failing: int, verdict: str, stricter: str) -> None:
    """One rule for all papers; the stricter reading is noted."""
    rows = by_key([AS_PUBLISHED] * (30 - failing) + [with_peak(3.001)] * failing)
    assert rows["queueing_bound"]["ours"] == f"in {30 - failing} of 30 seeds"
    assert rows["queueing_bound"]["verdict"] == verdict
    assert stricter in rows["queueing_bound"]["note"]
    assert rows["queueing_paths_bound"]["verdict"] == REPRODUCED
    assert rows["queueing_peak"]["verdict"] == REPRODUCED


@pytest.mark.parametrize("peak_s", [26.0, 30.0])
def test_orders_are_strict(peak_s: float) -> None:
    rows = by_key([with_peak(peak_s)] * 30)
    assert rows["queueing_peak"]["ours"] == "in 0 of 30 seeds"
    assert rows["queueing_paths_peak"]["ours"] == "in 30 of 30 seeds"


@pytest.mark.parametrize("change", [{"fewest": 2}, {"most": 8}])
def test_bounds_include_their_ends(change: dict[str, int]) -> None:
    outside = {**AS_PUBLISHED, "threshold": AS_PUBLISHED["threshold"]._replace(**change)}
    assert by_key([AS_PUBLISHED] * 30)["threshold_bounds"]["verdict"] == REPRODUCED
    assert by_key([outside] * 30)["threshold_bounds"]["verdict"] == NOT_REPRODUCED


def test_one_seed_decides_nothing() -> None:
    row = by_key([AS_PUBLISHED])["ds2_mean_s"]
    assert row["ours"] == "2.700"
    assert by_key([AS_PUBLISHED])["threshold_bounds"]["verdict"] == NO_INTERVAL


def test_numbers_have_an_interval_over_the_seeds() -> None:
    row = by_key([AS_PUBLISHED, with_peak(5.0)])["queueing_peak_s"]
    assert row["our_value"] == 4.0
    assert row["ours"].startswith("4 (0 to ")
    assert row["difference"] == "+"


def test_a_seed_is_simulated_under_every_policy() -> None:
    figures = simulate_seed(0)
    assert list(figures) == list(POLICIES)
    assert figures == simulate_seed(0)
    for each in figures.values():
        assert 3 <= each.fewest <= each.mean_instances <= each.most <= 45
        assert 0.5 < each.mean_s < each.peak_s
