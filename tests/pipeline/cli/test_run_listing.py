"""Commands that list runs and find their reports."""

from __future__ import annotations

import json

import pytest

from pipeline.paths import Paths
from tests.pipeline.cli.command import Home, call
from tests.warehouse import Night, write

pytestmark = pytest.mark.unit


@pytest.fixture
def place(home: Home) -> Paths:
    nights = (Night("older", 1), Night("newer", 2), Night("broken", 3, status="failed"))
    return write(Paths(home.warehouse), nights)


def test_published_runs_are_listed_newest_first(place: Paths) -> None:
    rows = json.loads(call("runs", "--json").stdout)
    assert [row["run_id"] for row in rows] == ["newer", "older"]
    assert rows[0].keys() == {"run_id", "preset", "created_at", "seconds", "seed"}
    table = call("runs").stdout
    assert table.index("newer") < table.index("older")
    assert "broken" not in table


def test_the_newest_report_is_the_default(place: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    for run in ("older", "newer"):
        place.report(run).parent.mkdir(parents=True)
        place.report(run).write_text("<html>")
    assert call("report").stdout.split() == [str(place.report("newer"))]
    assert not opened
    assert call("report", "older", "--open").stdout.split() == [str(place.report("older"))]
    assert opened == [place.report("older").as_uri()]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["report"], "groupscale track RUN_ID"),
        (["report", "none"], "report.html: not found"),
        (["report", "../x"], "run_id"),
    ],
)
def test_reports_that_do_not_exist(place: Paths, words: list[str], error: str) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert error in result.output.replace("\n", " ")


def test_a_warehouse_without_runs(home: Home) -> None:
    assert call("report").exit_code == 2
    assert not home.tree()


@pytest.mark.parametrize("words", [[], ["run"], ["live", "faults"]])
def test_help_has_a_short_option(words: list[str]) -> None:
    assert call(*words, "-h").stdout == call(*words, "--help").stdout
