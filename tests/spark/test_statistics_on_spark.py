"""Stage `statistics` on real Delta tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from algorithms.scores import assignment_scores
from pipeline.engine import stage_work, steps
from pipeline.experiments.assignment import statistics
from pipeline.experiments.assignment.statistics.score_matrices import of_scores
from pipeline.experiments.family_list import stage
from pipeline.warehouse.runs.context import RunContext
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

PACKING = ("BFD", "MWF", "NF")


def test_common_minimum_is_over_all_that_keep_to_capacity(small_run: RunContext) -> None:
    assignments = rows(small_run, "assignments")
    packing = assignments[assignments.algorithm.isin(PACKING)]
    scores = rows(small_run, "scores")
    assert set(scores.algorithm) == {*PACKING, "kd_2"}
    for score in scores.to_dict("records"):
        here = assignments[assignments.stream_id == score["stream_id"]]
        least = packing[packing.stream_id == score["stream_id"]]
        fewest = np.minimum(
            least.groupby("iteration").n_consumers.min(),
            here.groupby("iteration").min_consumers.min(),
        )
        mine = here[here.algorithm == score["algorithm"]].sort_values("iteration")
        expected = assignment_scores.cbs(
            mine.n_consumers.to_numpy(dtype="int32"), fewest.to_numpy(dtype="int32")
        )
        assert score["cbs_common"] == pytest.approx(expected, abs=1e-12)
        # All twelve are behind min_consumers, so nothing is below it here.
        assert score["cbs_common"] == score["cbs"]


def test_tables_hold_what_the_scores_say(small_run: RunContext) -> None:
    scores = rows(small_run, "scores")
    settings = {e.name: e.model_dump(mode="json") for e in small_run.config.experiments}
    expected = statistics.rows(of_scores(scores), small_run.config.seed, settings)
    for table in statistics.NAMES:
        stored = rows(small_run, table)
        assert len(stored) == len(expected[table]) > 0
        assert set(stored.get("algorithm", [])) <= set(PACKING)
    pairs = rows(small_run, "comparisons")
    # Three algorithms, two metrics; two δ in one experiment and one in the other.
    deltas = sum(len(e.deltas) for e in small_run.config.experiments)
    assert len(pairs) == 3 * 2 * deltas
    assert pairs["p"].dropna().between(0, 1).all()


def test_the_stage_replaces_its_own_rows(spark: SparkSession, small_run: RunContext) -> None:
    before = {table: rows(small_run, table) for table in statistics.NAMES}
    stage_work.run(spark, small_run, stage("statistics"))
    for table, frame in before.items():
        assert_frame_equal(rows(small_run, table), frame, check_exact=True)


@pytest.mark.parametrize("table", statistics.NAMES)
def test_checks_hold(small_run: RunContext, table: str) -> None:
    checked = rows(small_run, "validations")
    mine = checked[checked["table_name"] == table]
    assert len(mine) >= 5
    assert mine["success"].all()
    assert steps.stage("statistics").writes == statistics.NAMES
