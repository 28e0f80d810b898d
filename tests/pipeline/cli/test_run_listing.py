"""Commands that list runs and find their reports."""

from __future__ import annotations

import json
import re

import pytest

from pipeline.base.paths import Paths
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.reporting.sections import stored_sections
from pipeline.settings.presets import PRESETS
from tests.pipeline.cli.command import Home, call
from tests.pipeline.experiments.assignment import report_cases
from tests.warehouse import Night, write, write_live

pytestmark = [pytest.mark.unit, pytest.mark.slow]


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


def test_failed_and_unfinished_runs_are_listed_with_their_cause(place: Paths) -> None:
    write(place, (Night("stopped", 4, status="running"),))
    rows = json.loads(call("runs", "--failed", "--json").stdout)
    assert [row["run_id"] for row in rows] == ["stopped", "broken"]
    assert rows[0].keys() == {"run_id", "preset", "created_at", "status", "error"}
    assert rows[0]["error"] is None
    assert rows[1]["error"]
    published = json.loads(call("runs", "--json").stdout)
    # The same time of day is written in the same way.
    assert re.sub(r"\d", "0", rows[0]["created_at"]) == re.sub(
        r"\d", "0", published[0]["created_at"]
    )
    table = call("runs", "--failed").stdout
    assert table.index("stopped") < table.index("broken")
    assert rows[1]["error"] in table
    assert "newer" not in table
    assert "--run-id" in table


def test_no_run_has_failed(home: Home) -> None:
    write(Paths(home.warehouse), (Night("newer", 2),))
    assert call("runs", "--failed").stdout == "No failed or unfinished run.\n"
    assert json.loads(call("runs", "--failed", "--json").stdout) == []


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


def test_tables_of_a_report_are_printed(place: Paths) -> None:
    place.report("newer").parent.mkdir(parents=True)
    place.report("newer").write_text("<html>")
    missing = call("report", "--tables")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "groupscale track RUN_ID" in " ".join(missing.stderr.split())
    place.printed("newer").parent.mkdir(parents=True)
    place.printed("newer").write_text(stored_sections.text(written(report_cases.small())))
    result = call("report", "--tables")
    assert result.exit_code == 0, result.output
    assert all(head in result.stdout for head in ("CBS %", "delayed %", "MWF "))


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


def test_listings_are_json_too() -> None:
    algorithms = {row["name"]: row for row in json.loads(call("algorithms", "--json").stdout)}
    assert list(algorithms)[:2] == ["NF", "NFD"]
    assert algorithms["BFD"]["family"] == "any fit"
    assert {"kd_n", "SR_g", "NAME+M", "module:function"} < algorithms.keys()
    presets = {row["preset"]: row for row in json.loads(call("presets", "--json").stdout)}
    assert presets.keys() == PRESETS.keys()
    assert [name for name, row in presets.items() if row["default"]] == ["paper"]
    assert presets["smoke"]["experiments"].keys() == {"tradeoff", "latency"}
    strategies = {row["name"]: row for row in json.loads(call("strategies", "--json").stdout)}
    assert strategies["headroom"]["parameters"] == {"h": 1.2, "hold": 10.0}
    assert strategies["keda_hpa"]["parameters"]["scale_up"]["policies"][0]["value"] == 4
    assert not strategies["optimal"]["deployable"]


def test_tables_of_listings_name_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for command in ("algorithms", "strategies", "presets"):
        table = call(command).stdout
        for row in json.loads(call(command, "--json").stdout):
            assert row.get("name", row.get("preset")) in table


def test_differences_are_json_too(place: Paths) -> None:
    rows = json.loads(call("compare", "newer", "--with", "older", "--json", "--all").stdout)
    assert {row["metric"] for row in rows} >= {"cbs", "mean_rscore"}
    assert {row["verdict"] for row in rows} <= {"same", "changed", "moved"}


@pytest.mark.parametrize(
    "words", [["compare", "brokered"], ["promote", "brokered", "--reason", "checked"]]
)
def test_measurements_have_no_baseline(place: Paths, words: list[str]) -> None:
    write_live(place)
    result = call(*words)
    assert result.exit_code == 2
    assert "'brokered' belongs to family live" in result.stderr
    assert not (place.warehouse / "baselines").exists()


@pytest.mark.parametrize("words", [[], ["run"], ["live", "faults"]])
def test_help_has_a_short_option(words: list[str]) -> None:
    assert call(*words, "-h").stdout == call(*words, "--help").stdout
