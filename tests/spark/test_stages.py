"""The stages on real Delta tables: complete, independent of partitioning, replaced on rerun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from deltalake import DeltaTable
from pandas.testing import assert_frame_equal

from algorithms.assignment import registry
from algorithms.scores import assignment_scores
from pipeline.base.errors import StageError
from pipeline.engine import local, steps
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables
from pipeline.warehouse.storage.reader import FileSource
from tests.spark.rows import matrix, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]


def test_every_stream_has_every_algorithm_at_every_iteration(small_run: RunContext) -> None:
    expected = sum(
        len(e.deltas) * e.replicates * e.iterations * len(e.algorithms)
        for e in small_run.config.experiments
    )
    assert len(rows(small_run, "assignments")) == expected


def test_scores_are_the_definitions_applied_to_the_assignments(small_run: RunContext) -> None:
    assignments = rows(small_run, "assignments")
    for score in rows(small_run, "scores").to_dict("records"):
        mine = assignments[
            (assignments.stream_id == score["stream_id"])
            & (assignments.algorithm == score["algorithm"])
        ]
        expected = assignment_scores.cbs(
            mine.n_consumers.to_numpy(dtype="int32"), mine.min_consumers.to_numpy(dtype="int32")
        )
        assert score["cbs"] == pytest.approx(expected, abs=1e-12)
        assert score["mean_rscore"] == pytest.approx(mine.rscore.mean(), abs=1e-12)
        assert score["mean_consumers"] == pytest.approx(mine.n_consumers.mean(), abs=1e-12)


def test_the_minimum_is_over_the_twelve_whichever_were_asked_for(small_run: RunContext) -> None:
    streams = rows(small_run, "streams").set_index("stream_id")
    measurements = rows(small_run, "measurements")
    assignments = rows(small_run, "assignments")
    stream = str(measurements.stream_id.iloc[0])
    rates = matrix(measurements[measurements.stream_id == stream].rates)
    seed = int(streams.loc[stream, "seed"])
    capacity = float(streams.loc[stream, "capacity"])
    used = [
        assignment_scores.n_consumers(registry.get(name).assign(rates, capacity, seed))
        for name in registry.reference_set()
    ]
    stored = assignments[(assignments.stream_id == stream) & (assignments.algorithm == "NF")]
    assert set(assignments.algorithm) < set(registry.reference_set()) | {"kd_2"}
    assert stored.min_consumers.tolist() == np.min(used, axis=0).tolist()
    assert (stored.min_consumers < stored.n_consumers).any()


def test_a_unit_can_be_run_again_alone(small_run: RunContext, copied: RunContext) -> None:
    """And so can several: new files replace those of these units and no others."""
    first, *others = copied.config.units()
    before = files(copied, "assignments")
    steps.run_stage("run_algorithms", copied, [first])
    between = files(copied, "assignments")
    steps.run_stage("run_algorithms", copied, others)
    after = files(copied, "assignments")
    assert before & between
    assert between & after
    assert not before & after
    steps.check("assignments", copied)
    mine = rows(copied, "assignments")
    assert_frame_equal(mine, rows(small_run, "assignments"), check_exact=True)


def files(ctx: RunContext, table: str) -> set[str]:
    """Current files of a table."""
    return set(DeltaTable(ctx.paths.table(table)).file_uris())


def test_a_run_id_that_begins_again_keeps_no_row_of_before(
    small_config: RunConfig, copied: RunContext
) -> None:
    assert len(rows(copied, "streams")) == small_config.n_streams()
    again = steps.begin(small_config, copied.paths.warehouse, copied.run_id, "test")
    for table in tables.DATA:
        assert not FileSource(again.paths).count(table, again.run_id)
    for table in ("streams", "measurements", "validations"):
        assert rows(again, table).empty
    steps.conclude(again, "stopped by a test")


def test_failed_stages_leave_a_failed_run(
    spark: SparkSession, copied: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **_inputs: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("pipeline.experiments.shared.write_streams.run", broken)
    with pytest.raises(StageError, match="write_streams: RuntimeError: the disk is gone"):
        local.run_all(copied.config, copied.paths.warehouse, "broken")
    (row,) = tables.read(spark, "runs", copied.paths, "broken").collect()
    assert row["status"] == "failed"
    assert row["error"] == "write_streams: RuntimeError: the disk is gone"
