"""The order of stages and checks in one process, without Spark."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.base.errors import InputError, StageError, ValidationFailed
from pipeline.base.paths import Paths
from pipeline.base.process import signals
from pipeline.engine import local
from pipeline.engine import steps as runner
from pipeline.experiments.family_list import stages_of
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit
CONFIG = resolve("smoke", None, [], [])


class Steps:
    """Replaces `pipeline.engine.steps`: records calls, and fails on demand."""

    def __init__(self, **errors: BaseException) -> None:
        self.errors = errors
        self.asked: list[str] = []
        self.concluded: list[str | None] = []
        self.scored, self.cancelled = threading.Event(), threading.Event()

    def import_ahead(self, *modules: str) -> None:
        """Nothing to import."""

    def claim(self, config: object, *_: object, **__: object) -> Any:
        self._do("claim")
        places = Paths(Path("nowhere"))
        return SimpleNamespace(
            config=config, run_id="r", paths=places, has_begun=lambda: "start" in self.asked
        )

    def start(self, ctx: object) -> None:
        self._do("start")

    def run_stage(self, name: str, ctx: object) -> None:
        if name == "score":
            self.scored.set()
        self._do(name)

    def check(self, table: str, ctx: object, spark: object) -> None:
        if table == "assignments":
            # The check is still running when the next stage has begun.
            assert self.scored.wait(10)
        self._do(f"check_{table}")

    def conclude(self, ctx: object, error: str | None = None) -> None:
        self.concluded.append(error)
        if error is None:
            self._do("publish")

    def _do(self, name: str) -> None:
        self.asked.append(name)
        if name in self.errors:
            raise self.errors[name]


STEPS = ("import_ahead", "claim", "start", "run_stage", "check", "conclude")


def run(monkeypatch: pytest.MonkeyPatch, **errors: BaseException) -> Steps:
    steps = Steps(**errors)
    for name in STEPS:
        monkeypatch.setattr(runner, name, getattr(steps, name))
    session = SimpleNamespace(
        beside=lambda: None,
        cancel_jobs=lambda: steps.cancelled.set(),
    )
    monkeypatch.setattr(local, "session", session)
    try:
        local.run_all(CONFIG, Path("nowhere"), "r")
    except (StageError, InputError, OSError, signals.Interrupted) as error:
        steps.errors["raised"] = error
    return steps


def test_nothing_tells_of_a_run_before_all_checks_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run(monkeypatch)
    checks = [name for name in steps.asked if name.startswith("check_")]
    written = [table for stage in stages_of(CONFIG) for table in stage.writes]
    assert written
    assert checks == [f"check_{table}" for table in written]
    assert steps.asked.index("track") > max(map(steps.asked.index, checks))
    assert steps.concluded == [None]
    assert steps.asked[-1] == "publish"


def test_a_failed_check_is_what_failed_even_if_a_stage_fails_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = ValidationFailed("assignments", ["unassigned"])
    steps = run(monkeypatch, check_assignments=failed, score=StageError("score: no such row"))
    assert steps.errors["raised"] is failed
    assert steps.concluded == [str(failed)]
    assert "track" not in steps.asked


def test_a_failed_check_keeps_the_run_from_being_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = ValidationFailed("assignments", ["unassigned"])
    steps = run(monkeypatch, check_assignments=failed)
    assert steps.errors["raised"] is failed
    assert steps.concluded == [str(failed)]
    assert not {"track", "report"} & set(steps.asked)


def test_a_run_that_cannot_begin_is_not_concluded(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run(monkeypatch, claim=InputError("run_id is in use"))
    assert (steps.asked, steps.concluded) == (["claim"], [])


@pytest.mark.parametrize("step", ["start", "write_streams", "report", "publish"])
@pytest.mark.parametrize("kind", [OSError, signals.Interrupted])
def test_whatever_ends_a_run_that_has_begun_concludes_it(
    monkeypatch: pytest.MonkeyPatch, step: str, kind: type[BaseException]
) -> None:
    error = kind(signal.SIGTERM)
    steps = run(monkeypatch, **{step: error})
    assert steps.errors["raised"] is error
    assert steps.concluded[-1] == str(error)
    assert steps.concluded[:-1] == ([None] if step == "publish" else [])
    if kind is signals.Interrupted:
        assert error.__notes__ == ["run r: not published"]


def test_nobody_waits_for_a_check_when_a_run_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def check(self: Steps, table: str, ctx: object, spark: object) -> None:
        self.checking.set()
        assert self.cancelled.wait(10)
        raise StageError("cancelled")

    def run_stage(self: Steps, name: str, ctx: object) -> None:
        if name != "write_streams":
            assert self.checking.wait(10)
            raise signals.Interrupted(2)

    monkeypatch.setattr(Steps, "checking", threading.Event(), raising=False)
    monkeypatch.setattr(Steps, "check", check)
    monkeypatch.setattr(Steps, "run_stage", run_stage)
    steps = run(monkeypatch)
    assert steps.cancelled.is_set()
    assert steps.concluded == ["interrupted (SIGINT)"]


def test_a_signal_that_comes_while_a_run_is_published_comes_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def publish(self: Steps, ctx: object, error: str | None = None) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        self.concluded.append(error)

    monkeypatch.setattr(Steps, "conclude", publish)
    with signals.taken():
        steps = run(monkeypatch)
    raised = steps.errors["raised"]
    assert isinstance(raised, signals.Interrupted)
    assert (steps.concluded, raised.status) == ([None], 143)
    assert raised.__notes__ == ["run r is published"]
