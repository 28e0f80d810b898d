"""Red, promoted, green: the gate on real tables, without running the pipeline again."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable, write_deltalake

from pipeline.engine import maintenance, steps
from pipeline.engine.retention_policy import Removal
from pipeline.paths import Paths
from pipeline.regression import outcome, promote
from pipeline.runs.context import RunContext
from pipeline.storage import append, tables
from pipeline.storage.reader import FileSource, SparkSource
from tests.pipeline.cli.command import call
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

pytestmark = pytest.mark.spark

DRIFTED = "algorithm = 'MWF' AND experiment = 'tradeoff' AND delta = 25"


@pytest.fixture
def first(small_run: RunContext, tmp_path: Path) -> RunContext:
    """The small run in a warehouse that a test may change."""
    shutil.copytree(small_run.paths.warehouse, tmp_path / "warehouse")
    return dataclasses.replace(small_run, paths=Paths(tmp_path / "warehouse"))


def again(spark: SparkSession, ctx: RunContext, run_id: str, **changes: dict[str, Column]) -> None:
    """Write the rows of a run once more, as those of another, with changes by table."""
    from pyspark.sql import functions as F

    for table, changed in changes.items():
        frame = tables.read(spark, table, ctx.paths, ctx.run_id)
        frame = frame.withColumns({**changed, "run_id": F.lit(run_id)})
        tables.write(spark, frame, table, ctx.paths, run_id)


def night(spark: SparkSession, ctx: RunContext, run_id: str) -> RunContext:
    """Another run with the results of the first, except the Rscore of one algorithm at one δ.

    The code versions may differ or not: the difference is too large in either case.
    """
    from pyspark.sql import functions as F

    doubled = F.expr(f"if({DRIFTED}, 2, 1)")
    drift = {name: F.col(name) * doubled for name in ("mean_rscore", "mean_rscore_high")}
    now = F.current_timestamp()
    ended = {"created_at": now, "finished_at": now}
    again(spark, ctx, run_id, pareto=drift, latency={}, runs=ended)
    fresh = dataclasses.replace(ctx, run_id=run_id)
    fresh.save()
    steps.run_stage("compare", fresh)
    return fresh


def test_a_drift_is_red_until_it_is_promoted(spark: SparkSession, first: RunContext) -> None:
    warehouse = ["--warehouse", str(first.paths.warehouse)]
    files = FileSource(first.paths)
    assert outcome.recorded(files, "small").regression == "no baseline"

    red = night(spark, first, "red")
    # What the gate wrote keeps the table's contract.
    steps.check("differences", red)
    found = outcome.recorded(files, "red")
    assert (found.baseline_run_id, found.is_red) == ("small", True)
    (moved,) = found.moved
    assert (moved["delta"], moved["algorithm"], moved["metric"]) == (25.0, "MWF", "mean_rscore")
    assert moved["value"] == 2 * moved["baseline_value"]
    # Rows and verdicts are the same however the tables are read.
    assert outcome.between(SparkSource(spark, first.paths), "red", "small").rows == found.rows
    shown = call("compare", "red", *warehouse)
    assert shown.exit_code == 3
    assert "1 moved" in shown.stdout

    done = call("promote", "red", "--reason", "ties fall otherwise", "--by", "ada", *warehouse)
    assert done.exit_code == 0, done.output
    assert call("compare", "red", *warehouse).exit_code == 0
    assert call("compare", "red", "--with", "small", *warehouse).exit_code == 3
    (promotion,) = tables.whole(spark, "baselines", first.paths).collect()
    assert (promotion["promoted_by"], promotion["reason"]) == ("ada", "ties fall otherwise")

    green = night(spark, first, "green")
    accepted = outcome.recorded(files, "green")
    assert accepted.baseline_run_id == "red"
    assert set(accepted.counts) == {"same"}
    assert len(rows(spark, green, "differences")) == len(accepted.rows)


def test_baselines_keep_all_their_rows(
    spark: SparkSession, first: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as F

    for age in (1, 2, 3, 4):
        when = F.expr(f"current_timestamp() - INTERVAL {age} HOURS")
        again(spark, first, f"old{age}", runs={"created_at": when, "finished_at": when})
    promote.promote(first.paths, "old3", "meant", "ada")
    monkeypatch.setenv("GROUPSCALE_KEEP_BULKY", "1")
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "1")
    expected = Removal(bulky=(), whole=("old1", "old2", "old4"))
    # What is printed first is what Spark would find.
    assert maintenance.plan(FileSource(first.paths)) == expected
    assert maintenance.plan(SparkSource(spark, first.paths)) == expected
    shown = call("retain", "--dry-run", "--warehouse", str(first.paths.warehouse))
    assert re.search(r"\b3 runs\b", shown.stdout)
    assert all(run_id in shown.stdout for run_id in expected.whole)
    assert "old3" not in shown.stdout
    assert tables.whole(spark, "runs", first.paths).count() == 5


def test_promotions_written_without_spark_keep_the_tables_rules(first: RunContext) -> None:
    """Delta's constraints hold for every writer, and are those of the contract."""
    table = DeltaTable(first.paths.table("baselines"))
    assert "delta.constraints.reason_given" in table.metadata().configuration
    blank = promote.Promotion("small", first.created_at, "ada", "  ")
    with pytest.raises(Exception, match="reason"):
        write_deltalake(table, append.arrow(blank._asdict()), mode="append")
