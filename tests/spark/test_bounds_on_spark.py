"""Bounds on real Delta tables: correct for any number of tasks, and free if not requested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from algorithms import bounds
from algorithms.scores import assignment_scores
from pipeline.engine import late_tracking, steps
from pipeline.experiments.streams import whole_streams
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from tests.spark.rows import matrix, rows
from tests.spark.stages_alone import computed, detailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

# On one of these streams SR_inf needs fewer consumers than any of the twelve.
ASKED = [
    "partitions=16",
    "seed=2025",
    "iterations=12",
    "deltas=25",
    "replicates=2",
    "algorithms=SR_inf,BFD+M+P,BFD,NF,kd_2",
    "bound_iterations=3",
    "bound_algorithms=NF,BFD",
]


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return resolve("smoke", None, ASKED, [])


@pytest.fixture(scope="module")
def bounded(spark: SparkSession, config: RunConfig, warehouse: Path) -> RunContext:
    """A published run without a report; `tests.e2e.test_cli_run` has a whole one with bounds."""
    ctx = computed(config, warehouse, "bounded")
    steps.run_stage("extract_pareto", ctx)
    for table in ("assignments", "bounds", "scores", "pareto"):
        steps.check(table, ctx)
    steps.conclude(ctx)
    return ctx


def test_every_sample_has_its_bounds(bounded: RunContext) -> None:
    stored_bounds = rows(bounded, "bounds")
    streams = rows(bounded, "streams")
    assert len(stored_bounds) == len(streams) * 3 * (1 + 2)
    assert set(stored_bounds.iteration) == set(bounds.sampled(12, 3))
    assert set(stored_bounds.algorithm.dropna()) == {"NF", "BFD"}
    assert stored_bounds.proved.all()
    assert (stored_bounds.lower == stored_bounds.upper).all()


def test_bounds_are_those_of_the_stored_rates(bounded: RunContext) -> None:
    """Column by column, with the rates and assignments as the tables have them."""
    measurements = rows(bounded, "measurements").set_index(["stream_id", "iteration"])
    assignments = rows(bounded, "assignments")
    assignments = assignments.set_index(["stream_id", "iteration", "algorithm"])
    effort = bounds.effort(5.0)
    for row in rows(bounded, "bounds").to_dict("records"):
        place = (row["stream_id"], row["iteration"])
        speeds = np.array(measurements.loc[place].rates, dtype=np.float64)
        if row["kind"] == "consumers":
            expected = bounds.fewest_consumers(speeds, 100.0, effort)
            assert row["l2"] == bounds.l2(speeds, 100.0)
        else:
            before = (row["stream_id"], row["iteration"] - 1, row["algorithm"])
            now = assignments.loc[(*place, row["algorithm"])]
            expected = bounds.least_rscore(
                speeds,
                100.0,
                np.array(assignments.loc[before].consumers, dtype=np.int32),
                int(now.n_consumers),
                effort,
                np.array(now.consumers, dtype=np.int32),
            )
        assert (row["lower"], row["upper"]) == (expected.lower, expected.upper)
        assert row["method"] == expected.method


def test_scores_have_the_distances(bounded: RunContext) -> None:
    stored_bounds = rows(bounded, "bounds")
    assignments = rows(bounded, "assignments")
    for score in rows(bounded, "scores").to_dict("records"):
        mine = assignments[
            (assignments.stream_id == score["stream_id"])
            & (assignments.algorithm == score["algorithm"])
        ]
        beside = stored_bounds[stored_bounds.stream_id == score["stream_id"]].merge(
            mine[["iteration", "n_consumers", "rscore"]], on="iteration"
        )
        fewest = beside[beside.kind == "consumers"]
        excess = ((fewest.n_consumers - fewest.lower) / fewest.lower).mean()
        assert score["cbs_optimum_high"] == pytest.approx(excess, abs=1e-12)
        assert score["cbs_optimum_low"] == score["cbs_optimum_high"]
        least = beside[(beside.kind == "rscore") & (beside.algorithm == score["algorithm"])]
        if score["algorithm"] in ("NF", "BFD"):
            distance = (least.rscore - least.lower).mean()
            assert score["rscore_gap_high"] == pytest.approx(distance, abs=1e-9)
            assert score["rscore_gap_low"] <= score["rscore_gap_high"]
        else:
            assert np.isnan(score["rscore_gap_high"])
    worst = rows(bounded, "scores").groupby("algorithm").rscore_gap_low.mean()
    assert worst["NF"] > 0


def test_the_common_minimum_may_be_below_that_of_the_twelve(bounded: RunContext) -> None:
    """No algorithm that keeps capacity is below it; the twelve's minimum is stored as well."""
    scores = rows(bounded, "scores")
    packing = scores[scores.algorithm != "kd_2"]
    assert set(packing.algorithm) == {"SR_inf", "BFD+M+P", "BFD", "NF"}
    assert (packing.cbs_common >= 0).all()
    assert (packing.cbs_common >= packing.cbs).all()
    assert (packing.cbs_common > packing.cbs).any()
    assert set(packing[packing.cbs < 0].algorithm) == {"SR_inf"}
    assert set(packing[packing.reference].algorithm) == {"BFD", "NF"}


def test_an_own_count_is_in_the_interval(bounded: RunContext) -> None:
    assignments = rows(bounded, "assignments")
    kept = assignments[~assignments.algorithm.str.startswith("kd_")]
    used = assignment_scores.n_consumers(matrix(kept.consumers).astype(np.int32))
    assert (used == kept.n_consumers).all()
    fewest = rows(bounded, "bounds").query("kind == 'consumers'")
    both = kept.merge(fewest, on=["stream_id", "iteration"])
    assert (both.n_consumers >= both.lower).all()
    assert (both.min_consumers >= both.upper).all()


def test_tables_do_not_depend_on_the_number_of_tasks(
    bounded: RunContext,
    config: RunConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.experiments.assignment.stages.compute_bounds.TASKS_PER_CORE", 1)
    monkeypatch.setattr(whole_streams, "spread", lambda _work: 1)
    other = computed(config, bounded.paths.warehouse, "one-task")
    steps.conclude(other, "stopped by a test")
    for table in (table for item in detailed(config) for table in item.writes):
        assert_frame_equal(rows(other, table), rows(bounded, table), check_exact=True)


def test_checks_tell_of_bounds(bounded: RunContext) -> None:
    checked = rows(bounded, "validations").query("table_name == 'bounds'")
    assert {"bounds_planned", "interval_ordered", "key_unique"} <= set(checked.rule)
    assert checked.success.all()


def test_a_run_that_asks_for_none_has_no_such_stage(small_run: RunContext) -> None:
    assert rows(small_run, "bounds").empty
    assert "bounds" not in {entry["stage"] for entry in small_run.timings()}
    scores = rows(small_run, "scores")
    assert scores[["cbs_optimum_low", "rscore_gap_high"]].isna().all(axis=None)
    # Nor is the stage missed when the run is tracked later.
    assert list(late_tracking._unfinished(small_run)) == []
