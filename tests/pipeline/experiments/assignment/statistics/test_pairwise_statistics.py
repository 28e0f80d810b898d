"""Rows of the tables of stage `statistics`, from scores made by hand."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from algorithms.assignment import registry
from pipeline.experiments.assignment import statistics
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E
from pipeline.experiments.assignment.paper.paper_setting import TRADEOFF_SETTING
from pipeline.experiments.assignment.statistics.score_matrices import MOST_COMPARED, of_scores
from schemas import TABLES

pytestmark = pytest.mark.unit

PAPER = {**TRADEOFF_SETTING, "initial_rates": ["uniform"]}
REPLICATES = 8


def scores(
    costs: dict[str, tuple[float, float]],
    replicates: int = REPLICATES,
    delta: float = 5.0,
    starts: tuple[str, ...] = ("uniform",),
) -> pd.DataFrame:
    """CBS and mean Rscore of each algorithm, with the scatter that streams share and their own."""
    rng = np.random.default_rng(7)
    rows = [
        {
            "experiment": "mine",
            "delta": delta,
            "algorithm": name,
            "replicate": replicate,
            "stream_id": f"mine-{start}-r{replicate:04d}",
            "cbs_common": cbs + 0.001 * replicate + rng.normal(0, 1e-4) if cbs else 0.0,
            "mean_rscore": moved + 0.1 * replicate + rng.normal(0, 0.01) if moved else 0.0,
        }
        for replicate in range(1, replicates + 1)
        for start in starts
        for name, (cbs, moved) in costs.items()
    ]
    return pd.DataFrame(rows)


COSTS = {
    "MWF": (0.11, 9.0),
    "BFD": (0.001, 24.0),
    "NF": (0.28, 31.0),
    "FFD": (0.001, 24.0),
    "kd_4": (-0.5, 0.0),
}


def made(frame: pd.DataFrame, **setting: Any) -> dict[str, pd.DataFrame]:
    tables = statistics.rows(of_scores(frame), 1, {"mine": setting})
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}


def published_frame(delta: float) -> pd.DataFrame:
    there = {n: (v.cbs, v.mean_rscore) for (n, d), v in SECTION_VI_E.items() if d == delta}
    return scores(there, replicates=2, delta=delta)


def test_rows_have_the_columns_of_their_tables() -> None:
    tables = statistics.rows(of_scores(scores(COSTS)), 1, {})
    assert tables.keys() == set(statistics.NAMES)
    for name, rows in tables.items():
        columns = [column.name for column in TABLES[name].columns if column.name != "run_id"]
        assert rows
        for row in rows:
            assert list(row) == columns


def test_static_assignments_are_left_out() -> None:
    """They ignore capacity: few consumers and no migrations would beat all algorithms."""
    tables = made(scores(COSTS))
    for name in ("comparisons", "rankings", "dominance"):
        assert "kd_4" not in set(tables[name]["algorithm"])
    assert set(tables["indicators"]["algorithms"]) == {4}
    alone = statistics.rows(of_scores(scores({"kd_4": (0.5, 0.0)})), 1, {})
    assert alone == {name: [] for name in statistics.NAMES}


def test_all_pairs_in_both_metrics() -> None:
    rows = made(scores(COSTS))["comparisons"]
    assert len(rows) == 2 * 6
    row = rows[(rows.algorithm == "BFD") & (rows.other == "MWF") & (rows.metric == "mean_rscore")]
    (record,) = row.to_dict("records")
    assert record["mean_difference"] == pytest.approx(15.0, abs=0.02)
    assert record["low"] < record["mean_difference"] < record["high"]
    # What streams share is not in the interval: their means scatter by 0.25.
    assert record["high"] - record["low"] < 0.03
    assert (record["statistic"], record["p"]) == (0.0, 2 / 2**REPLICATES)
    assert record["p_holm"] == pytest.approx(6 * record["p"], rel=0.7)


def test_start_conditions_are_no_replicates() -> None:
    """They share their random numbers: four of them say no more of the scatter than one."""
    frame = scores(COSTS, starts=("0", "uniform"))
    (unit,) = of_scores(frame)
    assert unit.cbs.shape == (REPLICATES, 4)
    mine = frame[(frame.algorithm == "MWF") & (frame.replicate == 3)]
    column = unit.names.index("MWF")
    assert unit.rscore[2, column] == pytest.approx(mine.mean_rscore.mean())
    assert set(made(frame)["rankings"]["replicates"]) == {REPLICATES}


def test_ranks_and_groups() -> None:
    rows = made(scores(COSTS))["rankings"]
    moved = rows[rows.metric == "mean_rscore"].set_index("algorithm")
    assert moved.loc["MWF", "mean_rank"] == 1.0
    assert moved.loc["NF", "mean_rank"] == 4.0
    assert moved["mean_rank"].sum() == pytest.approx(10.0)
    assert list(moved.loc["BFD", "groups"]) == list(moved.loc["FFD", "groups"]) != []
    assert (moved["p"] < 0.01).all()
    assert moved["note"].isna().all()


def test_one_replicate_gives_means_and_notes() -> None:
    tables = made(scores(COSTS, replicates=1))
    assert (
        set(tables["comparisons"]["note"])
        == set(tables["rankings"]["note"])
        == {"fewer than 2 replicates"}
    )
    assert tables["comparisons"]["mean_difference"].notna().all()
    assert tables["comparisons"][["low", "high", "p"]].isna().all().all()
    assert tables["indicators"]["hypervolume"].notna().all()
    assert tables["indicators"]["hypervolume_low"].isna().all()
    assert tables["dominance"]["cbs_difference_low"].isna().all()


def test_equal_algorithms_are_noted() -> None:
    frame = scores({"MWF": (0.1, 9.0), "BFD": (0.0, 24.0), "FFD": (0.0, 25.0)})
    rows = made(frame)["comparisons"]
    (equal,) = rows[rows.note.notna()].to_dict("records")
    assert {equal["algorithm"], equal["other"]} == {"BFD", "FFD"}
    assert (equal["metric"], equal["note"]) == ("cbs_common", "equal on every replicate")
    assert (equal["mean_difference"], equal["low"], equal["high"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("costs", "note"),
    [
        ({"MWF": (0.1, 9.0), "NF": (0.3, 31.0)}, "BFD was not run"),
        ({"MWF": (0.1, 9.0), "BFD": (0.0, 0.0)}, "BFD moves nothing"),
    ],
)
def test_fronts_without_a_unit_have_a_note(
    costs: dict[str, tuple[float, float]], note: str
) -> None:
    rows = made(scores(costs), **PAPER)["indicators"]
    assert list(rows["front"]) == ["published", "reference", "all"]
    assert all(note in text for text in rows["note"])
    assert rows[["hypervolume", "hypervolume_of_means", "epsilon"]].isna().all().all()
    assert len(rows["cbs_50"].iloc[1]) == len(rows["mean_rscore_50"].iloc[1]) > 0


@pytest.mark.parametrize(("delta", "area"), [(5.0, 0.61), (15.0, 0.52), (25.0, 0.49)])
def test_the_published_front_has_its_hypervolume(delta: float, area: float) -> None:
    """Of the authors' own results, one stream for each δ; on ours see test_indicators."""
    rows = made(published_frame(delta), **PAPER)["indicators"].set_index("front")
    assert rows.loc["published", "hypervolume"] == pytest.approx(area, abs=0.005)
    assert rows.loc["published", "hypervolume_of_means"] == rows.loc["published", "hypervolume"]
    assert rows.loc["published", "replicates"] == 1
    assert math.isnan(rows.loc["published", "hypervolume_low"])
    assert rows.loc["published", "cbs_50"] is None


def test_the_published_front_is_not_drawn_over_another_setting() -> None:
    for other in ({"partitions": 32}, {"clip": False}, {"initial_rates": ["uniform", "0"]}):
        rows = made(published_frame(5.0), **{**PAPER, **other})["indicators"]
        assert list(rows["front"]) == ["reference", "all"]


def test_fronts_of_more_algorithms_are_better() -> None:
    registered = COSTS | {"MBFP": (0.0005, 12.0)}
    few = made(scores(COSTS))["indicators"].set_index("front")
    more = made(scores(registered))["indicators"].set_index("front")
    assert few.loc["reference", "hypervolume"] == few.loc["all", "hypervolume"]
    assert few.loc["reference", "epsilon"] == few.loc["all", "epsilon"] == 0.0
    assert more.loc["all", "hypervolume"] > few.loc["all", "hypervolume"]
    for row in (few.loc["all"], more.loc["all"]):
        assert row["hypervolume_low"] <= row["hypervolume"] <= row["hypervolume_high"]
        # Points of single streams scatter about their means, so their fronts reach further.
        assert row["hypervolume"] == pytest.approx(row["hypervolume_of_means"], abs=0.02)


def test_dominance_names_the_best_with_paired_differences() -> None:
    rows = made(scores(COSTS))["dominance"].set_index("algorithm")
    assert set(rows.index) == {"MWF", "BFD", "NF", "FFD"}
    assert rows.loc["NF", "dominated_by"] == "MWF"
    assert rows.loc["NF", "dominators"] == 3
    assert rows.loc["NF", "replicates_dominated"] == REPLICATES
    assert rows.loc["NF", "cbs_difference"] == pytest.approx(-0.17, abs=0.001)
    assert rows.loc["NF", "rscore_difference"] == pytest.approx(-22.0, abs=0.05)
    for name in ("cbs_difference", "rscore_difference"):
        low, value, high = (rows.loc["NF", f"{name}{end}"] for end in ("_low", "", "_high"))
        assert low <= value <= high < 0
    assert pd.isna(rows.loc["MWF", "dominated_by"])
    assert rows.loc["MWF", ["dominators", "replicates_dominated"]].tolist() == [0, 0]


def test_the_same_scores_give_the_same_rows_in_any_order() -> None:
    frame = scores(COSTS)
    shuffled = frame.sample(frac=1, random_state=1)
    assert statistics.rows(of_scores(shuffled), 1, {}) == statistics.rows(of_scores(frame), 1, {})


def test_each_experiment_and_delta_is_a_family_of_its_own() -> None:
    two = [scores(COSTS), scores(COSTS, delta=10.0), scores(COSTS).assign(experiment="b")]
    traces = scores(COSTS, replicates=2).assign(experiment="trace", delta=math.nan)
    rows = made(pd.concat([*two, traces]))["comparisons"]
    assert Counter(zip(rows.experiment, rows.delta.fillna(-1), strict=True)) == {
        ("mine", 5.0): 12,
        ("mine", 10.0): 12,
        ("b", 5.0): 12,
        ("trace", -1.0): 12,
    }
    one = made(two[0])["comparisons"]
    mine = rows[(rows.experiment == "mine") & (rows.delta == 5.0)]
    assert mine["p_holm"].tolist() == one["p_holm"].tolist()


def test_of_many_algorithms_the_first_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"A{i:03d}" for i in range(MOST_COMPARED + 5)]
    monkeypatch.setattr(
        "pipeline.experiments.assignment.statistics.score_matrices.keeps_capacity",
        lambda name: True,
    )
    frame = scores({name: (0.1 + 0.01 * i, 9.0 + i) for i, name in enumerate(names)}, replicates=3)
    tables = made(frame)
    assert len(tables["comparisons"]) == MOST_COMPARED * (MOST_COMPARED - 1)
    assert set(tables["rankings"]["algorithms"]) == {MOST_COMPARED}
    assert set(tables["indicators"]["algorithms"]) == {MOST_COMPARED + 5}


def test_reference_algorithms_come_first_in_display() -> None:
    """So that those beyond `MOST_COMPARED` are never the paper's."""
    names = sorted([*registry.reference_set(), "unknown"], key=registry.sort_key)
    assert names[-1] == "unknown"
