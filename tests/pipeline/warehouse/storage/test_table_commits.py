"""Whether a removal has stayed in a table's log, without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from pipeline.warehouse.storage import table_commits

pytestmark = pytest.mark.unit


def test_files_of_runs_are_found_in_the_log_as_it_is_now(tmp_path: Path) -> None:
    place = str(tmp_path / "scores")
    rows = pa.table({"run_id": ["a", "b", "b.2"], "cbs": [1.0, 2.0, 3.0]})
    write_deltalake(place, rows, partition_by=["run_id"])
    assert table_commits.has_files(place, ["a", "x"])
    assert not table_commits.has_files(place, ["x"])
    DeltaTable(place).delete("run_id = 'a' OR run_id = 'b'")
    assert not table_commits.has_files(place, ["a", "b"])
    assert table_commits.has_files(place, ["b.2"])
    assert not table_commits.has_files("s3a://bucket/scores", ["a"])


def test_a_removal_that_is_lost_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "scores")
    write_deltalake(place, pa.table({"run_id": ["a"], "cbs": [1.0]}), partition_by=["run_id"])
    tried = []

    def delete(spark: object, where: str, condition: str) -> None:
        """As Delta's, but the first removal is replaced by another process's commit."""
        tried.append(condition)
        if len(tried) == 2:
            DeltaTable(where).delete(condition)

    monkeypatch.setattr(table_commits.delta_sql, "delete", delete)
    monkeypatch.setattr(table_commits, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(table_commits.internals, "forget_log", lambda spark, place: None)
    table_commits.remove(None, place, "run_id = 'a'", ["a"])  # type: ignore[arg-type]
    assert len(tried) == 2
    assert not table_commits.has_files(place, ["a"])
    table_commits.remove(None, place, "run_id = 'b'", ["b"])  # type: ignore[arg-type]
    assert len(tried) == 2  # nothing to remove
    table_commits.remove(None, "s3a://bucket/scores", "run_id = 'b'", ["b"])  # type: ignore[arg-type]
    assert len(tried) == 3  # only Spark can tell


def test_rows_on_a_disk_are_removed_without_spark(tmp_path: Path) -> None:
    place = str(tmp_path / "scores")
    rows = pa.table({"run_id": ["a", "b"], "delta": [1.0, 2.0], "cbs": [1.0, 2.0]})
    write_deltalake(place, rows, partition_by=["run_id", "delta"])
    table_commits.remove(None, place, "run_id = 'a'", ["a"])  # type: ignore[arg-type]
    assert DeltaTable(place).to_pyarrow_table()["run_id"].to_pylist() == ["b"]


def test_a_removal_that_conflicts_with_another_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "scores")
    rows = pa.table({"run_id": ["a", "b"], "cbs": [1.0, 2.0]})
    write_deltalake(place, rows, partition_by=["run_id"])
    tables = [DeltaTable(place)]  # as it was before the other removal

    def delete(spark: object, where: str, condition: str) -> None:
        (tables.pop() if tables else DeltaTable(where)).delete(condition)

    DeltaTable(place).delete("run_id = 'a'")
    monkeypatch.setattr(table_commits.delta_sql, "delete", delete)
    monkeypatch.setattr(table_commits, "PAUSE_SECONDS", 0.0)
    table_commits.remove(None, place, "run_id = 'a' OR run_id = 'b'", ["a", "b"])  # type: ignore[arg-type]
    assert not tables
    assert not table_commits.has_files(place, ["a", "b"])
