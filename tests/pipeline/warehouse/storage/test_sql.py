"""SQL queries: published runs only, no access to files, limited memory and time."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import Result
from deltalake import write_deltalake
from typer.testing import CliRunner

import schemas
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.base.process import machine
from pipeline.cli import app, sql_format
from tests.pipeline.warehouse.storage.damage import RUNS, WAYS, two_runs
from tests.pipeline.warehouse.storage.questions import answer, written

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def test_only_published_runs_are_seen(warehouse: Paths) -> None:
    rows = answer("SELECT run_id, algorithm FROM pareto ORDER BY run_id", warehouse)
    assert rows == [
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
    whole = answer("SELECT sum(cbs) AS s FROM pareto WHERE run_id = 'mine'", places)
    assert whole == [{"s": 4950.0}]
    asked = ["sql", "SELECT sum(cbs) FROM pareto", "--warehouse", str(places.warehouse)]
    done = CliRunner().invoke(app.app, asked)
    assert done.exit_code == 1
    assert "table pareto: cannot read pareto/run_id=old/part-0.parquet" in done.stderr
    assert "--run-id old" in done.stderr


def test_tables_can_be_joined(warehouse: Paths) -> None:
    query = "SELECT count(*) AS n FROM pareto JOIN runs USING (run_id) WHERE status = 'published'"
    assert answer(query, warehouse) == [{"n": 2}]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM pareot", '"pareto"'),
        ("SELEC 1", "syntax error"),
        ("SELECT runid FROM runs", '"run_id"'),
        ("SELECT p.id FROM pareto p", "column named.*DESCRIBE"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM glob('/*')", "disabled by configuration"),
        ("SELECT * FROM duckdb_secrets()", "disabled by configuration"),
        ("SELECT * FROM enable_logging(storage = 'file', storage_path = 'x')", "locked"),
        ("SELECT getenv('HOME')", "does not exist"),
        ("SELECT * FROM read_text('https://example.org')", "disabled by configuration"),
        ("SELECT * FROM rows", "rows does not exist"),
    ],
)
def test_wrong_queries_are_refused_in_a_line(warehouse: Paths, query: str, said: str) -> None:
    with pytest.raises(InputError, match=f"^sql: .*{said}") as caught:
        answer(query, warehouse)
    assert "\n" not in str(caught.value)


def test_tables_are_listed_and_nothing_else(warehouse: Paths) -> None:
    names = [row["name"] for row in answer("SHOW TABLES", warehouse)]
    assert names == ["latency", "pareto", "runs"]


@pytest.mark.parametrize("query", ["DESCRIBE pareto", " desc\tPareto ; "])
def test_columns_have_unit_and_meaning(warehouse: Paths, query: str) -> None:
    """In the order of the table; what null means is said."""
    rows = answer(query, warehouse)
    assert [row["column_name"] for row in rows] == list(answer("FROM pareto", warehouse)[0])
    cbs = next(row for row in rows if row["column_name"] == "cbs")
    contract = schemas.TABLES["pareto"].column("cbs")
    assert (cbs["column_type"], cbs["unit"]) == ("DOUBLE", contract.unit)
    assert cbs["meaning"].startswith(contract.meaning)
    assert answer("SHOW TABLES", warehouse)[1]["meaning"] == schemas.TABLES["pareto"].meaning


def test_columns_of_one_name_get_a_number(warehouse: Paths) -> None:
    query = "SELECT r.run_id, p.run_id, 5 AS run_id_2 FROM runs r JOIN pareto p USING (run_id)"
    rows = answer(query, warehouse)
    assert list(rows[0]) == ["run_id", "run_id_3", "run_id_2"]


def test_times_are_in_utc(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    rows = answer("SELECT TIMESTAMPTZ '2026-01-01 05:00:00+05' AS t", warehouse)
    assert rows == [{"t": "2026-01-01 00:00:00Z"}]


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"empty.* runs"):
        answer("SELECT 1", Paths(tmp_path / "empty"))


def test_the_command_answers_without_a_jvm(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ["sql", "SELECT algorithm FROM pareto", "--format", "json"]
    done = CliRunner().invoke(app.app, [*ask, "--warehouse", str(warehouse.warehouse)])
    assert done.exit_code == 0, done.output
    short = [*ask[:2], "--json", "--warehouse", str(warehouse.warehouse)]
    for one in (done, CliRunner().invoke(app.app, short)):
        rows = json.loads(one.output)
        assert sorted(row["algorithm"] for row in rows) == ["BFD", "MWF"]
    wrong = CliRunner().invoke(app.app, ["sql", "SELECT 1", "--format", "xml"])
    assert wrong.exit_code == 2
    assert "must be one of table, csv, json" in wrong.output


def test_tables_of_another_version_have_no_views(warehouse: Paths) -> None:
    assert answer("SELECT count(*) AS n FROM pareto", warehouse) == [{"n": 2}]
    with pytest.raises(InputError, match="results"):
        answer("SELECT * FROM results", warehouse)


def test_no_rows_are_told(warehouse: Paths) -> None:
    ask = ["sql", "SELECT * FROM pareto WHERE false", "--warehouse", str(warehouse.warehouse)]
    done = CliRunner().invoke(app.app, ask)
    assert done.exit_code == 0
    assert done.output.startswith("run_id  algorithm  cbs")
    assert done.output.endswith("no rows\n")


def test_a_question_may_come_from_a_pipe(warehouse: Paths) -> None:
    ask = ["sql", "-", "--format", "csv", "--warehouse", str(warehouse.warehouse)]
    done = CliRunner().invoke(app.app, ask, input="SELECT 5\n  AS n")
    assert done.output.split() == ['"n"', "5"]


ENDLESS = "SELECT range AS n, repeat('x', 100) AS x FROM range(1_000_000_000_000)"
LONG = "SELECT sum(range) FROM range(1_000_000_000_000)"


def test_a_reader_that_has_seen_enough_is_no_error(warehouse: Paths, tmp_path: Path) -> None:
    """As ``| head`` has: the rest of a long answer is not wanted, and never was in memory."""
    command = [sys.executable, "-m", "pipeline.cli.app", "sql", ENDLESS, "--format", "csv"]
    with subprocess.Popen(
        [*command, "--warehouse", str(warehouse.warehouse)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"GROUPSCALE_HOME": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(3_000_000)
        status = Path(f"/proc/{process.pid}/status")
        if status.exists():
            peak = int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0])
            assert peak < 500_000
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_no_more_than_is_shown_is_fetched(warehouse: Paths) -> None:
    said = written(ENDLESS, warehouse, sql_format.TABLE)
    assert said.splitlines()[-2].startswith("999 ")
    assert said.splitlines()[-1].startswith("first 1,000 rows only")


def ask(query: str, places: Paths, *options: str) -> Result:
    return CliRunner().invoke(
        app.app, ["sql", query, "--warehouse", str(places.warehouse), *options]
    )


def test_a_question_ends_when_its_time_is_over(warehouse: Paths) -> None:
    done = ask(LONG, warehouse, "--timeout", "0.2")
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: sql: ")
    assert "--timeout (0.2 s)" in done.stderr


def test_printing_ends_when_the_time_is_over(warehouse: Paths) -> None:
    done = ask(ENDLESS, warehouse, "--timeout", "0.5", "--format", "csv")
    assert done.exit_code == 1
    assert done.stdout.startswith('"n","x"\n0,')
    assert "--timeout (0.5 s)" in done.stderr


def test_an_interrupted_question_ends_at_once(warehouse: Paths) -> None:
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT]).start()
    began = time.monotonic()
    done = ask(LONG, warehouse)
    assert (done.exit_code, done.stderr) == (130, "Error: interrupted\n")
    assert time.monotonic() - began < 5


def test_a_question_that_takes_too_much_memory_says_how_much_it_may(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory_gib", lambda: 0.8)
    # This process has more than that already.
    monkeypatch.setattr(machine, "memory_at_most", lambda share: nullcontext())
    done = ask("SELECT list(range) FROM range(1_000_000_000)", warehouse)
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: sql: ")
    assert " 0.4 GiB" in done.stderr


def test_settings_hold_no_password(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:secret@proxy.example")
    query = "SELECT value FROM duckdb_settings() WHERE name LIKE 'http_proxy%'"
    assert "secret" not in str(answer(query, warehouse))


def test_nothing_is_left_in_folders(
    warehouse: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    answer("SELECT * FROM range(100_000) ORDER BY hash(range) LIMIT 1 OFFSET 99_000", warehouse)
    assert sorted(tmp_path.rglob("*")) == before
    rows = answer("SELECT current_setting('temp_directory') AS place", warehouse)
    assert rows == [{"place": ""}]
