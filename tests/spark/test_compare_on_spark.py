"""Red, promoted, green: the gate on real tables, without running the pipeline again."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from pipeline.base.paths import Paths
from pipeline.engine import maintenance, steps
from pipeline.engine.retention_policy import Removal
from pipeline.reporting.regression import outcome, promote
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import append, tables
from pipeline.warehouse.storage.reader import FileSource, SparkSource
from tests.pipeline.cli.command import call
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

Row = dict[str, Any]
DRIFTED = {"algorithm": "MWF", "experiment": "tradeoff", "delta": 25.0}


@pytest.fixture
def first(small_run: RunContext, tmp_path: Path) -> RunContext:
    """The small run in a warehouse that a test may change."""
    shutil.copytree(small_run.paths.warehouse, tmp_path / "warehouse")
    return dataclasses.replace(small_run, paths=Paths(tmp_path / "warehouse"))


def again(
    spark: SparkSession,
    ctx: RunContext,
    begun: Mapping[str, datetime],
    **changes: Callable[[Row], Row],
) -> None:
    """Write the rows of a run once more, as those of others: one commit for each table.

    Parameters
    ----------
    begun
        When each of the others began, and ended.
    changes
        What changes in the rows of a table.
    """
    for table, change in {**changes, "runs": dict}.items():
        place = ctx.paths.table(table)
        first = DeltaTable(place).to_pyarrow_table(filters=[("run_id", "=", ctx.run_id)])
        rows = []
        for run_id, when in begun.items():
            new = {"run_id": run_id, "created_at": when, "finished_at": when}
            new = {name: value for name, value in new.items() if name in first.schema.names}
            rows += [change(row | new) for row in first.to_pylist()]
        frame = spark.createDataFrame(pa.Table.from_pylist(rows, first.schema))
        frame.write.format("delta").mode("append").save(place)


def _drifted(row: Row) -> Row:
    factor = 2 if DRIFTED.items() <= row.items() else 1
    return row | {name: row[name] * factor for name in ("mean_rscore", "mean_rscore_high")}


def night(spark: SparkSession, ctx: RunContext, run_id: str) -> RunContext:
    """Another run with the results of the first, except the Rscore of one algorithm at one δ.

    The code versions may differ or not: the difference is too large in either case.
    """
    again(spark, ctx, {run_id: datetime.now(UTC)}, pareto=_drifted, latency=dict)
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
    comparison = outcome.recorded(files, "red")
    assert (comparison.baseline_run_id, comparison.is_red) == ("small", True)
    (moved,) = comparison.moved
    assert (moved["delta"], moved["algorithm"], moved["metric"]) == (25.0, "MWF", "mean_rscore")
    assert moved["value"] == 2 * moved["baseline_value"]
    # Rows and verdicts are the same however the tables are read.
    assert outcome.between(SparkSource(spark, first.paths), "red", "small").rows == comparison.rows
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
    assert len(rows(green, "differences")) == len(accepted.rows)


def test_baselines_keep_all_their_rows(
    spark: SparkSession, first: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    again(spark, first, {f"old{age}": now - timedelta(hours=age) for age in (1, 2, 3, 4)})
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
