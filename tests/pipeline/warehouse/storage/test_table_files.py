"""Which tables Spark has to look after: those with files to merge or to delete."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from pipeline.base.paths import Paths
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import delta_sql, table_files

pytestmark = pytest.mark.unit

HOURS = 24.0


def written(paths: Paths, table: str, *slices: tuple[str, str]) -> Path:
    """A table with a file for each of these runs and experiments."""
    for run_id, experiment in slices:
        rows = pa.table({"run_id": [run_id], "experiment": [experiment], "value": [1]})
        by = ["run_id", "experiment"]
        write_deltalake(paths.table(table), rows, mode="append", partition_by=by)
    return Path(paths.table(table))


def age(file: Path, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(file, (then, then))


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "warehouse")


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Notes the tables that are merged and cleaned."""
    asked: list[str] = []

    def note(spark: Any, place: str, *_: Any) -> int:
        asked.append(Path(place).name)
        return 2

    monkeypatch.setattr(delta_sql, "merge_files", note)
    monkeypatch.setattr(delta_sql, "delete_unused_files", note)
    monkeypatch.setattr(session, "for_few_rows", lambda spark: nullcontext())
    return SimpleNamespace(asked=asked, conf=SimpleNamespace(set=lambda *_: None))


def test_only_tables_with_a_split_slice_of_the_run_are_merged(spark: Any, places: Paths) -> None:
    written(places, "scores", ("mine", "a"), ("mine", "b"))
    written(places, "latency", ("mine", "a"), ("mine", "b"), ("mine", "a"))
    written(places, "streams", ("other", "a"), ("other", "a"))
    assert table_files.compact(spark, places, "mine") == {"latency": 2}
    assert spark.asked == ["latency"]


def test_only_tables_with_old_files_that_nothing_needs_are_cleaned(
    spark: Any, places: Paths
) -> None:
    for file in written(places, "scores", ("mine", "a")).rglob("*"):
        age(file, 2 * HOURS)
    (written(places, "streams", ("mine", "a")) / "left.parquet").touch()
    table_files.vacuum(spark, places, HOURS)
    assert spark.asked == []
    age(Path(places.table("streams")) / "left.parquet", 2 * HOURS)
    table_files.vacuum(spark, places, HOURS)
    assert spark.asked == ["streams"]


def test_files_of_removed_rows_are_kept_for_those_hours(places: Paths) -> None:
    place = str(written(places, "scores", ("mine", "a"), ("other", "a")))
    DeltaTable(place).delete("run_id = 'mine'")
    for file in Path(place).rglob("*.parquet"):
        age(file, 2 * HOURS)
    assert not table_files.has_unused_files(place, HOURS)
    assert table_files.has_unused_files(place, 0)
