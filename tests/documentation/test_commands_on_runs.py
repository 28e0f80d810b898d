"""Commands of README and documentation that read runs, or accept one, work as they are pasted."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from pyarrow import parquet

from pipeline.base.paths import Paths
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.reporting.sections import stored_sections
from pipeline.warehouse.storage import reader, sql, sql_catalog
from schemas import VIEWS
from tests import warehouse
from tests.documentation.shell import (
    GROUPSCALE,
    PLACEHOLDERS,
    RUN_IDS,
    RUNNABLE,
    each,
    parsed,
)
from tests.pipeline.cli.command import call
from tests.pipeline.experiments.assignment import report_cases
from tests.pipeline.experiments.learning import broker_policy_rows
from tools.layout import here

pytestmark = [pytest.mark.unit, pytest.mark.slow]

LEARN = (("learn", "export"), ("learn", "evaluate"))
QUESTION = "SELECT run_id, status FROM runs"
"""What standard input has."""


@pytest.fixture
def copied(tables: Paths, folder: Path) -> Paths:
    """Runs that a test may change, in the folder of the example."""
    shutil.copytree(tables.warehouse, folder / "warehouse")
    return Paths(folder / "warehouse")


@each(RUNNABLE, "report")
def test_reports_are_found(words: list[str], copied: Paths) -> None:
    for run_id in ("second", "learned", "pulsed"):
        copied.report(run_id).parent.mkdir(parents=True)
        copied.report(run_id).write_text("<html></html>")
        copied.printed(run_id).parent.mkdir(parents=True, exist_ok=True)
        copied.printed(run_id).write_text(stored_sections.text(written(report_cases.small())))
    result = call(*(RUN_IDS.get(word, word) for word in words[1:]))
    assert result.exit_code == 0, result.output
    shown = result.stdout.strip()
    assert "CBS %" in shown if "--tables" in words else Path(shown).is_file()


@each(RUNNABLE, "promote")
def test_runs_are_promoted(words: list[str], copied: Paths) -> None:
    result = call(*(RUN_IDS.get(word, word) for word in words[1:]))
    assert result.exit_code == 0, result.output
    rows = reader.of(copied).rows("baselines", ["run_id", "reason"]).to_pylist()
    assert rows == [{"run_id": "second", "reason": parsed(words)["reason"]}]


def test_policies_are_exported_and_evaluated(copied: Paths) -> None:
    named = {"run_id": "learned", "experiment": "paper", "variant": "base"}
    warehouse.write_policies(copied, [broker_policy_rows.row(**named, seed=n) for n in (1, 2)])
    some = [words for words in GROUPSCALE if words[1] == "learn"]
    assert [tuple(words[1:3]) for words in some] == [*LEARN]
    for words in some:
        result = call(*(word.replace("RUN_ID", "learned") for word in words[1:]))
        assert result.exit_code == 0, result.output
        assert result.stdout


@pytest.mark.parametrize("query", [".tables", ".schema results", "SHOW TABLES", "DESCRIBE results"])
def test_tables_and_columns_are_listed(
    query: str, tables: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"`{query}`" in (here().root / "docs" / "analyst.md").read_text()
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tables.warehouse))
    result = call("sql", query, "--format", "json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)) > 10


def test_each_table_and_view_has_units_and_meanings(tables: Paths) -> None:
    numbers = re.compile(r"(DOUBLE|INTEGER|BIGINT)(\[\])?")
    with sql.connect(tables) as connection:

        def rows(query: str) -> list[tuple[str, ...]]:
            answer = sql_catalog.described(connection, query)
            assert answer is not None
            return answer.fetchall()

        listed = rows("SHOW TABLES")
        assert [row[0] for row in listed] == sorted(
            name for (name,) in connection.sql("SHOW TABLES").fetchall()
        )
        assert {row[0] for row in listed} >= {*VIEWS, "runs"}
        assert [row for row in listed if not all(row)] == []
        for name, *_ in listed:
            columns = rows(f"DESCRIBE {name}")
            assert [one for one in columns if not one[3] or one[2] is None] == []
            assert [one for one in columns if numbers.fullmatch(one[1]) and not one[2]] == []


@each(RUNNABLE, "sql")
def test_queries_have_an_answer(
    words: list[str], tables: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tables.warehouse))
    monkeypatch.chdir(tmp_path)
    assert not any(re.search(rf"'{holder}'", words[2]) for holder in PLACEHOLDERS)
    options = parsed(words)
    counted = () if options["output"] or options["style"] else ("--format", "json")
    result = call(*words[1:], *counted, read=QUESTION)
    assert result.exit_code == 0, result.output
    if options["output"]:
        assert parquet.read_table(options["output"]).num_rows > 0, "no rows"
    elif counted:
        assert json.loads(result.stdout), "no rows"
    else:
        assert len(result.stdout.splitlines()) > 1, "no rows"
