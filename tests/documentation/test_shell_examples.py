"""Commands of README and documentation work as they are pasted."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from pipeline import paths
from pipeline.cli import exits
from pipeline.cli.app import app
from pipeline.config.load import resolve
from pipeline.config.presets import PRESETS
from pipeline.paths import Paths
from tests import guides, warehouse
from tests.pipeline.cli.command import call
from tests.pipeline.policies import group_policy_rows
from tools import run_dag
from tools.layout import here

pytestmark = pytest.mark.unit

COMMANDS = [words for example in guides.examples() for words in guides.commands(example)]
INLINE = [words for example in guides.inline() for words in guides.commands(example)]
MAKE = [words for words in COMMANDS + INLINE if words[0] == "make"]
GROUPSCALE = [words for words in COMMANDS if words[0] != "make"]
IN_TEXT = [words for words in INLINE if words[0] != "make" and words[1] != "airflow"]
PLACEHOLDERS = ("RUN_ID", "RUN", "HOST:PORT", "FILE", "NAME", "…")
RUN_IDS = {"RUN_ID": "second", "OTHER_ID": "first", "TONIGHT": "second", "LONG_AGO": "first"}
"""Runs of the test that stand for those of a page."""

RUNS_AT_ONCE = ("import", "simulate", "recommend", "presets", "algorithms")


def each(commands: list[list[str]], *names: str) -> pytest.MarkDecorator:
    """A test of each of these commands, or of those with one of these names."""
    some = [words for words in commands if not names or words[1] in names]
    return pytest.mark.parametrize("words", some, ids=[" ".join(words)[:60] for words in some])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """Runs of every family."""
    place = warehouse.write(Paths(tmp_path_factory.mktemp("examples") / "warehouse"))
    place = warehouse.write_scaling(warehouse.write_details(place))
    return warehouse.write_learning(warehouse.write_live(place))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples read."""
    # Compiled kernels are kept for all tests.
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(paths.numba_cache()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tmp_path / "warehouse"))
    rates = ["timestamp,partition,rate"] + [
        f"{30 * second},{partition},{(partition + 1) * 2e5 + 1e4 * (second % 7)}"
        for second in range(12)
        for partition in range(4)
    ]
    (tmp_path / "rates.csv").write_text("\n".join(rates) + "\n")
    events = [f"{second},{150 + second % 60}" for second in range(120)]
    (tmp_path / "events.csv").write_text("timestamp,rate\n" + "\n".join(events) + "\n")
    (tmp_path / "policies").mkdir()
    group_policy_rows.write(tmp_path / "policies").rename(tmp_path / "policies" / "mine.json")
    for example in (here().root / "docs" / "examples").iterdir():
        shutil.copy(example, tmp_path)
    (tmp_path / "packing.py").write_text(guides.python("own-algorithm.md"))
    (tmp_path / "measurements_5.json").write_text(json.dumps([{"t": {"0": 5.0, "1": 6.0}}] * 5))
    return tmp_path


def parsed(words: list[str]) -> dict[str, Any]:
    """The parameters of the command that these words name; its options are checked."""
    command = typer.main.get_command(app)
    context = command.make_context(words[0], list(words[1:]))
    while isinstance(command, TyperGroup):
        rest = [*context._protected_args, *context.args]
        name, inner, rest = command.resolve_command(context, rest)
        assert inner is not None
        command, context = inner, inner.make_context(name, rest, parent=context)
    return context.params


def test_examples_are_seen() -> None:
    assert len(GROUPSCALE) > 25
    assert len(MAKE) > 5


@each(GROUPSCALE)
def test_options_exist(words: list[str]) -> None:
    parsed(words)


@each(IN_TEXT)
def test_options_in_the_text_exist(words: list[str]) -> None:
    # The text may name a command without its arguments.
    result = call(*words[1:], "--help")
    assert result.exit_code == 0, result.output


@each(GROUPSCALE + IN_TEXT, "runs", "compare", "retain")
def test_runs_are_found(words: list[str], tables: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tables.warehouse))
    if words[1:] == ["compare"]:
        return
    result = call(*(RUN_IDS.get(word, word) for word in words[1:]))
    assert result.exit_code in (0, exits.MOVED), result.output
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


@each(GROUPSCALE, "sql")
def test_queries_have_an_answer(
    words: list[str], tables: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tables.warehouse))
    query = words[2]
    if query == "-" or "SELECT" not in query:
        return
    assert not any(re.search(rf"'{holder}'", query) for holder in PLACEHOLDERS)
    result = call("sql", query, "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout), "no rows"


def _imported(words: list[str], folder: Path) -> None:
    """Write the trace that the command before this one has written."""
    if "-o" not in words and "trace.csv" in words:
        result = call("import", folder / "dump.json", "-o", folder / "trace.csv")
        assert result.exit_code == 0, result.output


@each(GROUPSCALE, "run")
def test_runs_are_configured(words: list[str], folder: Path) -> None:
    given = parsed(words)
    _imported(words, folder)
    if given["config"]:
        (yaml,) = (e.code for e in guides.examples() if e.code.startswith("preset: paper"))
        Path(given["config"]).write_text(yaml)
    traces = [folder / Path(name).name for name in given["trace"] or ()]
    config = resolve(given["preset"], given["config"], given["set_"] or [], traces)
    assert list(config.units())


@pytest.mark.slow
@each(GROUPSCALE, *RUNS_AT_ONCE)
def test_commands_without_spark_succeed(words: list[str], folder: Path) -> None:
    _imported(words, folder)
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
            assert value in run_dag.DAGS
        elif name == "PRESET":
            assert value in PRESETS
        elif not value:
            assert re.search(rf"^{name}:", makefile, re.MULTILINE), word
