"""Claims on the application of three functions: judged by how many seeds they hold in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.experiments.applications import published
from pipeline.reporting.sections import published_figure
from pipeline.reporting.sections.published_figure import Row
from pipeline.reporting.sections.russo_russo_figures import TITLES, Policies
from pipeline.settings.application_experiment import ApplicationExperiment
from schemas.verdicts import NO_INTERVAL, NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED

pytestmark = pytest.mark.unit


def figures(mean: float, fewest: int, most: int, response: float, peak: float) -> dict[str, float]:
    return {
        **{"mean_instances": mean, "fewest_instances": fewest, "most_instances": most},
        **{"mean": response, "peak": peak},
    }


AS_PUBLISHED = {
    "threshold": figures(3.5, 3, 7, 23.0, 74.0),
    "ds2": figures(4.5, 3, 8, 2.7, 26.0),
    "queueing": figures(5.0, 3, 9, 1.03, 3.0),
    "queueing_paths": figures(5.0, 3, 9, 1.03, 3.0),
}


def by_key(runs: list[Policies]) -> dict[str, Row]:
    frame = pd.DataFrame(
        {"policy": policy, "replicate": number, **row}
        for number, run in enumerate(runs, 1)
        for policy, row in run.items()
    )
    rows = list(published_figure.rows(published.FIGURES, published.by_seed(frame)))
    keyed = {row["figure_key"].removeprefix("Russo Russo 2021: "): row for row in rows}
    assert len(keyed) == len(rows), "two rows share a key"
    return keyed


def changed(policy: str, **values: float) -> Policies:
    return {**AS_PUBLISHED, policy: AS_PUBLISHED[policy] | values}


def with_peak(peak_s: float) -> Policies:
    return changed("queueing", peak=peak_s)


def test_the_published_figures_support_the_claims() -> None:
    rows = by_key([AS_PUBLISHED] * 30)
    claims = [row for row in rows.values() if row["ours"] == "in 30 of 30 seeds"]
    assert len(claims) == 1 + 2 * 4
    assert {row["verdict"] for row in claims} == {REPRODUCED}
    numbers = [row for row in rows.values() if row not in claims]
    assert len(numbers) == 3 * len(TITLES)
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


@pytest.mark.parametrize("change", [{"fewest_instances": 2}, {"most_instances": 8}])
def test_bounds_include_their_ends(change: dict[str, int]) -> None:
    outside = changed("threshold", **change)
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


def test_the_figures_are_of_the_published_setting_alone() -> None:
    def is_published(**changes: Any) -> bool:
        return ApplicationExperiment(**{"name": "a", "receiver_queue": 0} | changes).is_published

    assert is_published()
    for changes in (
        {"decision_s": 10.0},
        {"replace": True},
        {"receiver_queue": 1000},
        {"policies": ["ds2", "threshold"]},
    ):
        assert not is_published(**changes)
    assert is_published(replicates=3, policies=[*TITLES, "linear"])
