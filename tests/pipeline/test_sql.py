"""Questions in SQL: published runs only, no way to files, answers for people and programs."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from rich.console import Console
from typer.testing import CliRunner

from pipeline import cli, sql
from pipeline import sql_forms as forms
from pipeline.errors import InputError
from pipeline.paths import Paths
from tests import warehouse as tables
from tests.pipeline.damage import RUNS, WAYS, two_runs

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


@pytest.mark.parametrize("how", WAYS)
def test_a_damaged_file_is_named(tmp_path: Path, how: Callable[[Path], None]) -> None:
    """Not answered from: one bit of a number makes another number."""
    places = two_runs(tmp_path)
    runs = pa.table({"run_id": RUNS, "status": ["published"] * len(RUNS)})
    write_deltalake(places.table("runs"), runs)
    how(Path(places.table("pareto")) / "run_id=old" / "part-0.parquet")
    whole = sql.answer("SELECT sum(cbs) AS s FROM pareto WHERE run_id = 'mine'", places)
    assert whole.to_pylist() == [{"s": 4950.0}]
    asked = ["sql", "SELECT sum(cbs) FROM pareto", "--warehouse", str(places.warehouse)]
    done = CliRunner().invoke(cli.app, asked)
    assert done.exit_code == 1
    assert "table pareto: cannot read pareto/run_id=old/part-0.parquet" in done.stderr
    assert "--run-id old" in done.stderr


def test_tables_can_be_joined(warehouse: Paths) -> None:
    query = "SELECT count(*) AS n FROM pareto JOIN runs USING (run_id) WHERE status = 'published'"
    assert sql.answer(query, warehouse).to_pylist() == [{"n": 2}]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM pareot", 'Did you mean "pareto".*; SHOW TABLES lists'),
        ("SELEC 1", "syntax error"),
        ("SELECT runid FROM runs", 'Candidate bindings: "run_id".*, DESCRIBE the columns'),
        ("SELECT p.id FROM pareto p", "column named.*DESCRIBE the columns of one"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM glob('/*')", "disabled by configuration"),
        ("SELECT * FROM read_text('https://example.org')", "disabled by configuration"),
        ("SELECT * FROM rows", "rows does not exist"),
        ("COPY runs TO '/tmp/stolen.csv'", "COPY is no question, and tables are read only"),
        ("SET enable_external_access = true", "SET is no question"),
        ("ATTACH '/tmp/other.db'", "ATTACH is no question"),
        ("INSTALL httpfs", "is no question"),
        ("DROP VIEW runs", "DROP is no question"),
        ("DELETE FROM runs", "DELETE is no question"),
        ("INSERT INTO runs VALUES ('x', 'published')", "INSERT is no question"),
        ("SELECT 1; DROP VIEW runs", "these are 2 statements; ask one at a time"),
        ("", "there is no question; ask with SELECT"),
        ("-- only a remark", "there is no question"),
    ],
)
def test_wrong_queries_are_refused_in_a_line(warehouse: Paths, query: str, said: str) -> None:
    with pytest.raises(InputError, match=f"^sql: .*{said}") as caught:
        sql.answer(query, warehouse)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "FROM runs",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "DESCRIBE pareto",
        "SUMMARIZE pareto",
        "PIVOT runs ON status USING count(*)",
        "EXPLAIN SELECT 1",
        "SELECT 1;",
    ],
)
def test_questions_of_any_form_are_answered(warehouse: Paths, query: str) -> None:
    assert sql.answer(query, warehouse).num_rows


def test_tables_are_listed_and_nothing_else(warehouse: Paths) -> None:
    found = sql.answer("SHOW TABLES", warehouse).column(0).to_pylist()
    assert found == ["latency", "pareto", "runs"]


def test_columns_of_one_name_get_a_number(warehouse: Paths) -> None:
    query = "SELECT r.run_id, p.run_id, 5 AS run_id_2 FROM runs r JOIN pareto p USING (run_id)"
    found = sql.answer(query, warehouse)
    assert found.column_names == ["run_id", "run_id_3", "run_id_2"]


def test_times_are_in_utc(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    found = sql.answer("SELECT TIMESTAMPTZ '2026-01-01 05:00:00+05' AS t", warehouse)
    assert "2026-01-01 00:00:00" in forms.text(found, forms.CSV)


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"empty.* has no table runs: .*--warehouse"):
        sql.answer("SELECT 1", Paths(tmp_path / "empty"))


def test_csv_and_json_hold_every_digit(warehouse: Paths) -> None:
    found = sql.answer("SELECT algorithm, cbs FROM pareto ORDER BY run_id", warehouse)
    rows = list(csv.DictReader(io.StringIO(forms.text(found, forms.CSV))))
    assert float(rows[0]["cbs"]) == 0.1234567890123
    assert rows[1]["cbs"] == ""
    assert json.loads(forms.text(found, forms.JSON)) == found.to_pylist()


def test_arrays_are_json_in_csv(warehouse: Paths) -> None:
    found = sql.answer("SELECT histogram FROM latency", warehouse)
    assert list(csv.reader(io.StringIO(forms.text(found, forms.CSV)))) == [
        ["histogram"],
        ["[1, 2]"],
    ]


def test_json_has_numbers_and_no_infinity(warehouse: Paths) -> None:
    query = "SELECT sum(1) AS n, 1.5::DECIMAL(5, 2) AS d, 'inf'::DOUBLE AS i, ['x'] AS a"
    found = forms.text(sql.answer(f"{query}, true AS t, NULL AS z", warehouse), forms.JSON)
    assert json.loads(found, parse_constant=pytest.fail) == [
        {"n": 1, "d": 1.5, "i": "Infinity", "a": ["x"], "t": True, "z": None}
    ]
    nested = sql.answer("SELECT {'a': [1.0, '-inf'::DOUBLE, 'nan'::DOUBLE]} AS s", warehouse)
    assert json.loads(forms.text(nested, forms.JSON)) == [{"s": {"a": [1.0, "-Infinity", "NaN"]}}]


def shown(found: pa.Table, width: int, terminal: bool = True) -> str:
    console = Console(width=width, file=io.StringIO(), record=True, force_terminal=terminal)
    console.print(forms.table(found, console))
    return console.export_text()


def test_a_terminal_gets_a_table(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MAX_SHOWN", 1)
    found = sql.answer("SELECT algorithm, cbs FROM pareto ORDER BY run_id", warehouse)
    said = shown(found, 60)
    assert "0.123457" in said
    assert "BFD" not in said
    assert "the first 1 of 2 rows" in said


WIDE = ", ".join(f"{k} AS column_{k}" for k in range(20))


def test_what_is_too_wide_for_a_terminal_gets_a_line_per_column(warehouse: Paths) -> None:
    said = shown(sql.answer(f"SELECT {WIDE} FROM runs", warehouse), 60).splitlines()
    assert [line.strip() for line in said if line.startswith("row")] == ["row 1", "row 2"]
    assert "column_19  19" in {line.strip() for line in said}
    assert max(map(len, said)) <= 60


def test_a_pipe_gets_whole_lines(warehouse: Paths) -> None:
    said = shown(sql.answer(f"SELECT {WIDE} FROM runs", warehouse), 60, terminal=False)
    assert "column_0  column_1" in said
    assert "column_19" in said.splitlines()[0]


def test_long_texts_and_lists_are_shortened(warehouse: Paths) -> None:
    query = "SELECT repeat('x', 999) AS long, range(500) AS list, 5 AS n"
    said = shown(sql.answer(query, warehouse), 200)
    assert f"{'x' * 59}…" in said
    assert "[0, 1, 2, 3" in said
    assert len(said.splitlines()) == 3


def test_values_are_one_line_without_commands_for_terminals(warehouse: Paths) -> None:
    query = "SELECT chr(27) || '[31mred' AS a, 'two' || chr(10) || 'lines' AS b, '[bold]' AS c"
    row = shown(sql.answer(query, warehouse), 80).splitlines()[2]
    assert row.split() == ["�[31mred", "two", "lines", "[bold]"]


def test_values_as_people_read_them(warehouse: Paths) -> None:
    query = (
        "SELECT NULL AS a, true AS b, 'inf'::DOUBLE AS c, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS d"
    )
    row = shown(sql.answer(query, warehouse), 80).splitlines()[2]
    assert row.split() == ["-", "true", "inf", "2026-01-01", "00:00:00Z"]


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


def test_columns_of_after_the_table_was_made_are_null(warehouse: Paths) -> None:
    """Reading needs no migration: the next run brings the table up to date."""
    query = "SELECT DISTINCT cbs_low IS NULL AS missing, typeof(delta) AS kind FROM pareto"
    assert sql.answer(query, warehouse).to_pylist() == [{"missing": True, "kind": "DOUBLE"}]


def test_views_work_on_tables_of_before_there_were_bounds(tmp_path: Path) -> None:
    older = Paths(tmp_path / "older")
    later = ("cbs_optimum_low", "cbs_optimum_high", "rscore_gap_low", "rscore_gap_high")
    night = tables.write(Paths(tmp_path / "newer"), tables.NIGHTS[:1])
    for table in ("runs", "streams", "scores", "latency", "pareto"):
        rows = DeltaTable(night.table(table)).to_pyarrow_table()
        kept = [name for name in rows.column_names if name not in later]
        write_deltalake(older.table(table), rows.select(kept), partition_by=["run_id"])
    query = "SELECT count(*) AS n, count(cbs_optimum_low) AS known FROM results"
    (rows_now,) = sql.answer("SELECT count(*) AS n FROM results", night).to_pylist()
    assert sql.answer(query, older).to_pylist() == [{"n": rows_now["n"], "known": 0}]
    assert rows_now["n"] > 0


def test_no_rows_are_told(warehouse: Paths) -> None:
    ask = ["sql", "SELECT * FROM pareto WHERE false", "--warehouse", str(warehouse.warehouse)]
    done = CliRunner().invoke(cli.app, ask)
    assert done.exit_code == 0
    assert done.output.startswith("run_id  algorithm  cbs")
    assert done.output.endswith("no rows\n")


def test_a_question_may_come_from_a_pipe(warehouse: Paths) -> None:
    ask = ["sql", "-", "--format", "csv", "--warehouse", str(warehouse.warehouse)]
    done = CliRunner().invoke(cli.app, ask, input="SELECT 5\n  AS n")
    assert done.output.split() == ['"n"', "5"]


def test_a_reader_that_has_seen_enough_is_no_error(warehouse: Paths, tmp_path: Path) -> None:
    """As ``| head`` has: the rest of a long answer is not wanted."""
    ask = f"SELECT range AS n FROM range({10**6})"
    command = [sys.executable, "-m", "pipeline.cli", "sql", ask, "--format", "csv"]
    with subprocess.Popen(
        [*command, "--warehouse", str(warehouse.warehouse)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"GROUPSCALE_HOME": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
