"""Upkeep on real tables: files merge without a change to rows, and only old runs lose theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from pandas.testing import assert_frame_equal

from pipeline.engine import maintenance
from pipeline.engine.retention_policy import Removal
from pipeline.paths import Paths
from pipeline.runs.context import RunContext
from pipeline.storage import tables
from pipeline.storage.reader import FileSource
from tests.pipeline.engine.test_maintenance import at_work
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def again(spark: SparkSession, ctx: RunContext, run_id: str, days: int) -> None:
    """Write the rows of a run once more, as those of one some days before."""
    from pyspark.sql import functions as F

    for table in ("measurements", "scores", "runs"):
        frame = tables.read(spark, table, ctx.paths, ctx.run_id)
        frame = frame.withColumn("run_id", F.lit(run_id))
        if table == "runs":
            frame = frame.withColumn("created_at", F.expr(f"created_at - INTERVAL {days} DAYS"))
        tables.write(spark, frame, table, ctx.paths, run_id)


def ids(spark: SparkSession, ctx: RunContext, table: str) -> set[str]:
    """Runs that have rows in a table."""
    found = tables.whole(spark, table, ctx.paths).select("run_id").distinct().collect()
    return {row.run_id for row in found}


def test_merged_files_hold_the_same_rows(spark: SparkSession, copied: RunContext) -> None:
    frame = tables.read(spark, "assignments", copied.paths, copied.run_id)
    before = rows(spark, copied, "assignments")
    tables.write(spark, frame.repartition(7), "assignments", copied.paths, copied.run_id)
    merged = maintenance.compact(copied.paths, copied.run_id)
    assert merged["assignments"] > 7
    assert_frame_equal(rows(spark, copied, "assignments"), before, check_exact=True)
    assert "assignments" not in maintenance.compact(copied.paths, copied.run_id)


def test_old_runs_lose_what_the_policy_says_unless_they_are_at_work(
    spark: SparkSession, copied: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        again(spark, copied, f"old{number}", days=number)
    monkeypatch.setenv("GROUPSCALE_KEEP_BULKY", "1")
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "2")
    planned = maintenance.plan(FileSource(copied.paths))
    assert planned == Removal(bulky=("old1",), whole=("old2", "old3"))
    assert len(ids(spark, copied, "measurements")) == 4

    with at_work(copied.paths, "old3"):
        assert maintenance.retain(copied.paths) == Removal(bulky=("old1",), whole=("old2",))
    assert ids(spark, copied, "measurements") == {"small", "old3"}
    kept = {"small", "old1", "old3"}
    assert ids(spark, copied, "scores") == ids(spark, copied, "runs") == kept


def test_retention_that_dies_leaves_no_run_published_in_part(
    spark: SparkSession, copied: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    again(spark, copied, "old", days=9)
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "1")
    real = tables.delete_runs

    def killed(spark: SparkSession, paths: Paths, table: str, run_ids: Sequence[str]) -> None:
        if table == "scores":
            raise KeyboardInterrupt
        real(spark, paths, table, run_ids)

    with monkeypatch.context() as patch:
        patch.setattr(tables, "delete_runs", killed)
        with pytest.raises(KeyboardInterrupt):
            maintenance.retain(copied.paths)
    (left,) = tables.read(spark, "runs", copied.paths, "old").collect()
    assert (left["status"], left["error"]) == ("failed", "removed by retention")
    # The next night does the rest.
    assert maintenance.retain(copied.paths) == Removal(bulky=(), whole=("old",))
    assert ids(spark, copied, "scores") == ids(spark, copied, "runs") == {"small"}
