"""Results of queries as files."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.base.paths import Paths
from tests.pipeline.cli.command import call

pytestmark = pytest.mark.unit

QUERY = (
    "SELECT algorithm, cbs, [1, NULL] AS cells, TIMESTAMPTZ '2026-01-02 03:04:05Z' AS at, "
    "1::TINYINT AS cbs FROM pareto ORDER BY run_id"
)
COUNT = "SELECT * FROM range(1000)"


def asked(query: str, place: Paths, *options: str | Path) -> str:
    result = call("sql", query, "--warehouse", place.warehouse, *options)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_parquet_keeps_types_and_every_row(warehouse: Paths, tmp_path: Path) -> None:
    said = asked(QUERY, warehouse, "-o", tmp_path / "a.parquet")
    assert said == f"2 rows written to {tmp_path / 'a.parquet'}\n"
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.schema.names == ["algorithm", "cbs", "cells", "at", "cbs_2"]
    assert table.schema.field("cbs").type == pa.float64()
    assert table.to_pylist()[0] == {
        "algorithm": "MWF",
        "cbs": 0.1234567890123,
        "cells": [1, None],
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "cbs_2": 1,
    }
    asked(COUNT, warehouse, "-o", tmp_path / "many.parquet")
    assert pq.read_table(tmp_path / "many.parquet")["range"].to_pylist() == list(range(1000))


def test_no_rows_still_have_columns(warehouse: Paths, tmp_path: Path) -> None:
    said = asked("SELECT 1 AS n WHERE false", warehouse, "-o", tmp_path / "a.parquet")
    assert said.startswith("0 rows written")
    assert pq.read_table(tmp_path / "a.parquet").schema.names == ["n"]


def test_csv_and_json_are_as_on_standard_output(warehouse: Paths, tmp_path: Path) -> None:
    for style in ("csv", "json"):
        file = tmp_path / f"a.{style}"
        said = asked(QUERY, warehouse, "-o", file)
        assert said.startswith("2 rows written")
        assert file.read_bytes().decode() == asked(QUERY, warehouse, "--format", style)
    assert len(list(csv.reader((tmp_path / "a.csv").read_text().splitlines()))) == 3
    assert len(json.loads((tmp_path / "a.json").read_text())) == 2


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (("-o", "a.txt"), "must end in .parquet, .csv or .json"),
        (("-o", "a.csv", "--format", "json"), "leave out --format"),
        (("-o", "there.csv"), "--force"),
        (("-o", "none/a.csv"), "the folder none does not exist"),
    ],
)
def test_wrong_files_are_refused(
    warehouse: Paths,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    cause: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("mine")
    result = call("sql", "SELECT 1", "--warehouse", warehouse.warehouse, *words)
    assert result.exit_code == 2
    assert cause in result.output
    assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]


def test_what_parquet_lacks_is_said(warehouse: Paths, tmp_path: Path) -> None:
    query = "SELECT INTERVAL 1 DAY AS day"
    file = tmp_path / "a.parquet"
    result = call("sql", query, "--warehouse", warehouse.warehouse, "-o", file)
    assert result.exit_code == 2, result.output
    assert "Parquet lacks the type of a column" in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [".tables", ".tables;", "\\dt"])
def test_commands_of_other_shells_that_have_a_query(warehouse: Paths, command: str) -> None:
    assert "pareto" in asked(command, warehouse)
    assert "cbs" in asked(".schema pareto", warehouse)


@pytest.mark.parametrize("command", [".mode csv", ".schema", ".schema a; DROP", "\\q"])
def test_commands_of_other_shells_without_one(warehouse: Paths, command: str) -> None:
    result = call("sql", command, "--warehouse", warehouse.warehouse)
    assert result.exit_code == 2
    assert "use SHOW TABLES, DESCRIBE TABLE_NAME or a query" in result.output
