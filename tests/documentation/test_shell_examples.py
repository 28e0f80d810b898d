"""Commands of README and documentation work as they are pasted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.base.paths import Paths
from pipeline.cli import exits
from pipeline.cli.commands import live_response_command, run_command
from pipeline.orchestration import dag_names
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig
from tests.documentation.shell import (
    GROUPSCALE,
    IN_TEXT,
    MAKE,
    RUN_IDS,
    RUNNABLE,
    each,
    is_only_named,
    name_of,
    parsed,
)
from tests.pipeline.cli.command import call
from tests.pipeline.inputs.prometheus import fake_prometheus, known_group
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus
from tools.layout import here

pytestmark = [pytest.mark.unit, pytest.mark.slow]

RUNS_AT_ONCE = (
    "simulate",
    "simulate-application",
    "recommend",
    "import",
    "demo-data",
    "live manifests",
)
LISTS = ("presets", "algorithms", "strategies")
CONFIGURED = ("run", "live run", "live response", "live capacity")
"""Commands that run experiments: all but the run itself is tried."""

ELSEWHERE = {
    "airflow": "dags/test_documented_commands.py",
    "compare": "documentation/test_shell_examples.py",
    "confirm": "pipeline/cli/test_confirm.py",
    "learn evaluate": "documentation/test_commands_on_runs.py",
    "learn export": "documentation/test_commands_on_runs.py",
    "live clean": "pipeline/cli/test_live_commands.py",
    "live record": "live/user_cluster/test_live_record.py",
    "live serve": "live/user_cluster/test_serve_live.py",
    "live watch": "live/user_cluster/test_live_watch.py",
    "promote": "documentation/test_commands_on_runs.py",
    "report": "documentation/test_commands_on_runs.py",
    "retain": "documentation/test_shell_examples.py",
    "runs": "documentation/test_shell_examples.py",
    "scaler": "pipeline/cli/test_scaler_command.py",
    "sql": "documentation/test_commands_on_runs.py",
    "track": "spark/test_track_on_spark.py",
}
"""The tests that run the other commands; those of a cluster need one."""


def test_examples_are_seen() -> None:
    assert len(GROUPSCALE) > 25
    assert len(MAKE) > 5


def test_each_command_is_run() -> None:
    here_run = {*RUNS_AT_ONCE, *LISTS, *CONFIGURED}
    assert {name_of(words) for words in RUNNABLE} == here_run | ELSEWHERE.keys()
    for name, file in ELSEWHERE.items():
        text = (here().root / "tests" / file).read_text()
        assert f'"{name.split()[-1]}"' in text, (name, file)


@each(RUNNABLE)
def test_options_exist(words: list[str]) -> None:
    parsed(words)


@each([words for words in IN_TEXT if is_only_named(words)])
def test_commands_that_are_named_exist(words: list[str]) -> None:
    result = call(*(word for word in words[1:] if "…" not in word and "[" not in word), "--help")
    assert result.exit_code == 0, result.output


@each(GROUPSCALE + IN_TEXT, "runs", "compare")
def test_runs_are_found(words: list[str], tables: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(words, tables, monkeypatch)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@each(GROUPSCALE + IN_TEXT, "retain")
def test_runs_are_deleted(words: list[str], tables: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(words, tables, monkeypatch)


def answers(words: list[str], tables: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tables.warehouse))
    if words[1:] == ["compare"]:
        return
    result = call(*(RUN_IDS.get(word, word) for word in words[1:]))
    assert result.exit_code in (0, exits.MOVED), result.output
    assert result.stdout


def _imported(words: list[str], folder: Path) -> None:
    """Write the file that a command before this one has written."""
    if "demo.txt" in words and words[1] != "demo-data":
        result = call("demo-data", "-o", folder / "demo.txt")
        assert result.exit_code == 0, result.output
    if "-o" not in words and "trace.csv" in words:
        result = call("import", folder / "dump.json", "-o", folder / "trace.csv")
        assert result.exit_code == 0, result.output


@each(RUNNABLE, *CONFIGURED)
def test_runs_are_configured(
    words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[RunConfig] = []
    monkeypatch.setattr(run_command, "_run", lambda config, *_: begun.append(config))
    monkeypatch.setattr(live_response_command, "_is_answered", lambda *_: True)
    _imported(words, folder)
    result = call(*(word.replace("HOST:PORT", "localhost:9092") for word in words[1:]))
    assert result.exit_code == 0, result.output
    (config,) = begun
    assert list(config.units())


@each(RUNNABLE, *LISTS)
def test_lists_have_rows(words: list[str]) -> None:
    result = call(*(word.replace("NAME", "smoke") for word in words[1:]))
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) > 5


def answers_of_prometheus(words: list[str]) -> None:
    known = FakePrometheus(known_group.series())
    with fake_prometheus.served(known):
        result = call("import", f"prometheus:{known.url}", *words[3:])
    assert result.exit_code == 0, result.output


@each(RUNNABLE, *RUNS_AT_ONCE)
def test_commands_without_spark_succeed(words: list[str], folder: Path) -> None:
    _imported(words, folder)
    if words[2].startswith("prometheus:"):
        answers_of_prometheus(words)
        return
    # All strategies take half a minute; that recommendations are right is tested elsewhere.
    fewer = ("--strategy", "constant") if words[1] == "recommend" else ()
    result = call(*words[1:], *fewer)
    assert result.exit_code == 0, result.output


@each(MAKE)
def test_targets_exist(words: list[str]) -> None:
    makefile = (here().root / "Makefile").read_text()
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name == "DAG":
            assert value in dag_names.ALL
        elif name == "PRESET":
            assert value in PRESETS
        elif not value:
            assert re.search(rf"^{name}:", makefile, re.MULTILINE), word
