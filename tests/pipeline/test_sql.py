"""Questions in SQL: published runs only, no way to files, answers for people and programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from rich.console import Console
from typer.testing import CliRunner

from pipeline import cli, sql
from pipeline.errors import InputError
from pipeline.paths import Paths

pytestmark = pytest.mark.unit


@pytest.fixture
def warehouse(tmp_path: Path) -> Paths:
    """Two published runs and one that failed."""
    place = Paths(tmp_path / "warehouse")
    runs = {"run_id": ["a", "b", "c"], "status": ["published", "published", "failed"]}
    fronts = {
        "run_id": ["a", "b", "c"],
        "algorithm": ["MWF", "BFD", "NF"],
        "cbs": pa.array([0.1234567890123, None, 0.5], pa.float64()),
    }
    held = {"run_id": ["a"], "histogram": pa.array([[1, 2]], pa.list_(pa.int64()))}
    for table, rows in (("runs", runs), ("pareto", fronts), ("latency", held)):
        write_deltalake(place.table(table), pa.table(rows), partition_by=["run_id"])
    return place


def test_only_published_runs_are_seen(warehouse: Paths) -> None:
    found = sql.answer("SELECT run_id, algorithm FROM pareto ORDER BY run_id", warehouse)
    assert found.to_pylist() == [
        {"run_id": "a", "algorithm": "MWF"},
        {"run_id": "b", "algorithm": "BFD"},
    ]


def test_tables_can_be_joined(warehouse: Paths) -> None:
    query = "SELECT count(*) AS n FROM pareto JOIN runs USING (run_id) WHERE status = 'published'"
    assert sql.answer(query, warehouse).to_pylist() == [{"n": 2}]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM nothing", "nothing"),
        ("SELEC 1", "syntax error"),
        ("SELECT wrong FROM runs", "wrong"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("COPY runs TO '/tmp/stolen.csv'", "disabled by configuration"),
        ("SET enable_external_access = true", "locked"),
        ("", "SELECT"),
    ],
)
def test_wrong_queries_are_refused_in_a_line(warehouse: Paths, query: str, said: str) -> None:
    with pytest.raises(InputError, match=f"^sql: .*{said}") as caught:
        sql.answer(query, warehouse)
    assert "\n" not in str(caught.value)


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"empty.* has no table runs: .*--warehouse"):
        sql.answer("SELECT 1", Paths(tmp_path / "empty"))


def test_csv_and_json_hold_every_digit(warehouse: Paths) -> None:
    found = sql.answer("SELECT algorithm, cbs FROM pareto ORDER BY run_id", warehouse)
    rows = list(csv.DictReader(io.StringIO(sql.text(found, sql.CSV))))
    assert float(rows[0]["cbs"]) == 0.1234567890123
    assert rows[1]["cbs"] == ""
    assert json.loads(sql.text(found, sql.JSON)) == found.to_pylist()


def test_arrays_are_json_in_csv(warehouse: Paths) -> None:
    found = sql.answer("SELECT histogram FROM latency", warehouse)
    assert list(csv.reader(io.StringIO(sql.text(found, sql.CSV)))) == [["histogram"], ["[1, 2]"]]


def test_a_terminal_gets_a_table(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MAX_SHOWN", 1)
    found = sql.answer("SELECT algorithm, cbs FROM pareto ORDER BY run_id", warehouse)
    console = Console(width=60, file=io.StringIO(), record=True)
    console.print(sql.table(found))
    shown = console.export_text()
    assert "0.123457" in shown
    assert "BFD" not in shown
    assert "the first 1 of 2 rows" in shown


def test_the_command_answers_without_a_jvm(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ["sql", "SELECT algorithm FROM pareto", "--format", "json"]
    done = CliRunner().invoke(cli.app, [*ask, "--warehouse", str(warehouse.warehouse)])
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.output)) == 2
    wrong = CliRunner().invoke(cli.app, ["sql", "SELECT 1", "--format", "xml"])
    assert wrong.exit_code == 2
    assert "must be one of table, csv, json" in wrong.output
