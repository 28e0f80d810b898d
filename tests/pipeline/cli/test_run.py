"""A run from the command line, with Spark left out: what it is asked to do and how it ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import pipeline.engine
from pipeline.base.errors import InputError, StageError, ValidationFailed
from pipeline.base.paths import Paths
from pipeline.base.process.signals import Interrupted
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.reporting.regression.outcome import Outcome
from pipeline.reporting.sections import section_terminal
from pipeline.settings.run_config import RunConfig
from tests.pipeline.cli.command import Home, call, sets, trace
from tests.pipeline.experiments.assignment import report_cases
from tests.pipeline.reporting.regression.test_words import row

pytestmark = pytest.mark.unit


class FakeRunner(SimpleNamespace):
    """Takes the place of `pipeline.engine.steps` and `pipeline.engine.local`, which need Spark."""

    def __init__(self, error: BaseException | None = None) -> None:
        super().__init__()
        self.error = error
        self.verdict: str | None = None
        self.calls: list[tuple[RunConfig, Path, str]] = []

    def run_all(self, config: RunConfig, warehouse: Path, run_id: str, progress: Any) -> Any:
        self.calls.append((config, warehouse, run_id))
        if self.error is not None:
            raise self.error
        return SimpleNamespace(run_id=run_id, paths=Paths(warehouse), config=config)

    def show(self, ctx: object, console: Console) -> None:
        console.print(*section_terminal.ending(written(report_cases.small(2))), soft_wrap=True)

    def compared(self, ctx: object) -> Outcome:
        rows = [] if self.verdict is None else [row(self.verdict)]
        return Outcome("r1", rows[0]["baseline_run_id"] if rows else None, rows)


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeRunner]:
    def install(error: BaseException | None = None) -> FakeRunner:
        fake = FakeRunner(error)
        for name in ("steps", "local"):
            monkeypatch.setitem(sys.modules, f"pipeline.engine.{name}", fake)
            monkeypatch.setattr(pipeline.engine, name, fake, raising=False)
        return fake

    return install


def test_a_run_that_is_published(home: Home, runner: Callable[..., FakeRunner]) -> None:
    fake = runner()
    result = call("run", "--preset", "smoke", "--run-id", "r1", *sets("seed=3"))
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    ((config, warehouse, run_id),) = fake.calls
    assert (config.preset, config.seed, run_id) == ("smoke", 3, "r1")
    assert warehouse == home.warehouse
    first, *_ = result.stdout.splitlines()
    assert first.startswith("Run r1: tradeoff, latency (9 streams, seed 3), in ")
    assert "None of 30 published figures can be compared with this run." in result.stdout
    assert "groupscale report r1 --tables\n" in result.stdout
    assert f"Run r1 is published in {home.warehouse}" in result.stdout
    assert f"Report: {Paths(home.warehouse).report('r1')}" in result.stdout
    assert os.environ["MLFLOW_TRACKING_URI"] in result.stdout


def test_a_run_in_which_something_moved_is_published_with_a_warning(
    home: Home, runner: Callable[..., FakeRunner]
) -> None:
    fake = runner()
    for verdict, said, warned in (
        (None, "Run r1 has no baseline ", False),
        ("changed", "Run r1 compared with a: 1 changed", False),
        ("moved", "Run r1 compared with a: 1 moved", True),
    ):
        fake.verdict = verdict
        result = call("run", "--preset", "smoke", "--run-id", "r1")
        assert result.exit_code == 0
        assert said in result.stdout
        assert ("Warning: Run r1 is published, but 1 value has moved" in result.stdout) == warned
        assert ("groupscale promote r1" in result.stdout) == warned


def test_options_win_over_the_environment(
    home: Home, runner: Callable[..., FakeRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = runner()
    monkeypatch.chdir(home.root)
    result = call("run", "--preset", "smoke", "--warehouse", "mine")
    assert result.exit_code == 0
    ((_, warehouse, run_id),) = fake.calls
    assert warehouse == home.root / "mine"
    assert f"groupscale report {run_id} --tables --warehouse {warehouse}\n" in result.stdout
    assert len(run_id) == 23


def test_traces_and_files_reach_the_run(home: Home, runner: Callable[..., FakeRunner]) -> None:
    fake = runner()
    files = [trace(home, "iteration,a\n1,5\n"), trace(home, "iteration,b\n1,6\n", "u.csv")]
    config = trace(home, "capacity: 50\n", "c.yaml")
    result = call("run", "--trace", files[0], "--trace", files[1], "--config", config)
    assert result.exit_code == 0, result.output
    ((run_config, _, _),) = fake.calls
    assert [source.path for source in run_config.traces] == files
    assert run_config.experiments[0].capacity == 50.0


def test_a_live_run_first_says_what_it_needs_and_which_topics_it_creates(
    home: Home, runner: Callable[..., FakeRunner]
) -> None:
    """Before anything starts, or is written to a cluster."""
    runner(InputError("no further"))
    own = call("live", "run", "--preset", "live-smoke", "--run-id", "r1")
    assert (own.exit_code, own.stderr) == (2, "Error: no further\n")
    _, needs = own.stdout.splitlines()
    number = r"\d+\.\d GiB"
    said = rf"Note: the run takes about 1 min on the broker, up to {number} of disk and {number} of"
    assert re.fullmatch(f"{said} memory", needs)
    other = call("live", "run", "--run-id", "r1", "--bootstrap", "b1:9092,b2:9092")
    assert (other.exit_code, other.stderr) == (2, "Error: no further\n")
    _, needs, topics = other.stdout.splitlines()
    assert needs.startswith("Note: the run takes about ")
    assert topics == (
        "Note: the run creates topics gs.r1.* on b1:9092,b2:9092, writes to no other topic, and "
        "deletes them when it ends"
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StageError("score: OSError: no space left"), "score: OSError: no space left"),
        (
            ValidationFailed("scores", ["cbs_not_negative (3)"]),
            "table scores: 1 rule ",
        ),
        (RuntimeError("two\nlines"), "RuntimeError: two lines"),
        (InputError("run_id 'r1' is in use"), "run_id 'r1' is in use"),
    ],
)
def test_a_run_that_fails(
    home: Home, runner: Callable[..., FakeRunner], error: BaseException, words: str
) -> None:
    runner(error)
    result = call("run", "--preset", "smoke")
    wrong_input = isinstance(error, InputError)
    assert result.exit_code == (2 if wrong_input else 1)
    assert result.stderr.startswith(f"Error: {words}")
    assert "Traceback" not in result.output
    logs = list(home.logs.glob("*.log"))
    if wrong_input:
        assert logs == []
    else:
        assert result.stderr.splitlines()[-1] == f"Log: {logs[0]}"
        assert "Traceback" in logs[0].read_text()


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (Interrupted(signal.SIGINT), 130, "interrupted (SIGINT)"),
        (Interrupted(signal.SIGTERM), 143, "interrupted (SIGTERM)"),
    ],
)
def test_a_run_that_is_interrupted(
    home: Home,
    runner: Callable[..., FakeRunner],
    error: BaseException,
    status: int,
    words: str,
) -> None:
    error.add_note("run r: not published")
    runner(error)
    result = call("run", "--preset", "smoke")
    assert result.exit_code == status
    assert result.stderr == f"Error: {words}; run r: not published\n"
    assert not list(home.logs.glob("*.log"))


def test_a_run_that_is_interrupted_as_it_is_shown(
    home: Home, runner: Callable[..., FakeRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(ctx: object, console: Console) -> None:
        raise Interrupted(signal.SIGTERM)

    monkeypatch.setattr(runner(), "show", interrupt)
    result = call("run", "--preset", "smoke", "--run-id", "r")
    assert (result.exit_code, result.stderr) == (
        143,
        "Error: interrupted (SIGTERM); run r is published\n",
    )


def test_a_traceback_is_shown_on_demand(home: Home, runner: Callable[..., FakeRunner]) -> None:
    runner(StageError("score: broken"))
    result = call("run", "--preset", "smoke", "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-2] == "Error: score: broken"


def test_a_log_that_cannot_be_written_does_not_hide_the_error(
    home: Home, runner: Callable[..., FakeRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner(StageError("score: broken"))
    monkeypatch.setenv("GROUPSCALE_HOME", "/proc/nowhere")
    result = call("run", "--preset", "smoke", "--warehouse", home.warehouse)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: score: broken (")
    assert "--debug" in result.stderr
