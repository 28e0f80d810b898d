"""Upkeep on real tables: files merge without a change to rows, and only old runs lose theirs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pandas.testing import assert_frame_equal

import schemas
from pipeline.base.paths import Paths
from pipeline.engine import maintenance
from pipeline.engine.retention_policy import Removal
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import table_files, tables
from pipeline.warehouse.storage.reader import FileSource
from tests.pipeline.engine.test_maintenance import at_work
from tests.spark import test_compare_on_spark as compared
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]


KEPT = ("runs", "measurements", "assignments", "scores")
"""Tables of each kind: with and without slices, with rows per iteration and without."""


@pytest.fixture
def few(copied: RunContext) -> RunContext:
    """The small run with some of its tables: Spark needs seconds for the upkeep of each."""
    for table in schemas.TABLES.keys() - set(KEPT):
        shutil.rmtree(copied.paths.table(table))
    return copied


def again(spark: SparkSession, ctx: RunContext, **days: int) -> None:
    """Write the rows of a run once more, as those of others some days before."""
    begun = {run_id: ctx.created_at - timedelta(days=number) for run_id, number in days.items()}
    compared.again(spark, ctx, begun, measurements=dict, scores=dict)


def ids(ctx: RunContext, table: str) -> set[str]:
    """Runs that have rows in a table."""
    return set(FileSource(ctx.paths).rows(table, ["run_id"])["run_id"].to_pylist())


def test_merged_files_hold_the_same_rows(spark: SparkSession, few: RunContext) -> None:
    frame = tables.read(spark, "assignments", few.paths, few.run_id)
    before = rows(few, "assignments")
    tables.write(spark, frame.repartition(7), "assignments", few.paths, few.run_id)
    merged = maintenance.compact(few.paths, few.run_id)
    assert merged["assignments"] > 7
    assert_frame_equal(rows(few, "assignments"), before, check_exact=True)
    assert "assignments" not in maintenance.compact(few.paths, few.run_id)


def test_old_runs_lose_what_the_policy_says_unless_they_are_at_work(
    spark: SparkSession, few: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    again(spark, few, old1=1, old2=2, old3=3)
    monkeypatch.setenv("GROUPSCALE_KEEP_BULKY", "1")
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "2")
    planned = maintenance.plan(FileSource(few.paths))
    assert planned == Removal(bulky=("old1",), whole=("old2", "old3"))
    assert len(ids(few, "measurements")) == 4

    with at_work(few.paths, "old3"):
        assert maintenance.retain(few.paths) == Removal(bulky=("old1",), whole=("old2",))
    assert ids(few, "measurements") == {"small", "old3"}
    kept = {"small", "old1", "old3"}
    assert ids(few, "scores") == ids(few, "runs") == kept


def test_retention_that_dies_leaves_no_run_published_in_part(
    spark: SparkSession, few: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    again(spark, few, old=9)
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "1")
    # The test before has it done in earnest.
    monkeypatch.setattr(table_files, "vacuum", lambda *_: None)
    real = tables.delete_runs

    def killed(spark: SparkSession, paths: Paths, table: str, run_ids: Sequence[str]) -> None:
        if table == "scores":
            raise KeyboardInterrupt
        real(spark, paths, table, run_ids)

    with monkeypatch.context() as patch:
        patch.setattr(tables, "delete_runs", killed)
        with pytest.raises(KeyboardInterrupt):
            maintenance.retain(few.paths)
    (left,) = tables.read(spark, "runs", few.paths, "old").collect()
    assert (left["status"], left["error"]) == ("failed", "removed by retention")
    # The next night does the rest.
    assert maintenance.retain(few.paths) == Removal(bulky=(), whole=("old",))
    assert ids(few, "scores") == ids(few, "runs") == {"small"}
