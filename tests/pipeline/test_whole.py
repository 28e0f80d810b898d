"""The order of stages and checks in one process, without Spark."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline import whole
from pipeline.errors import InputError, StageError, ValidationFailed
from pipeline.resolve import resolve

pytestmark = pytest.mark.unit
CONFIG = resolve("smoke", None, [], [])


class Steps:
    """Takes the place of `pipeline.runner`: notes what is asked for, and fails on demand."""

    def __init__(self, **errors: Exception) -> None:
        self.errors = errors
        self.asked: list[str] = []
        self.concluded: list[str | None] = []
        self.scored = threading.Event()

    TRACKING = ("mlflow",)

    def import_ahead(self, *modules: str) -> None:
        """Nothing to import."""

    def begin(self, config: object, *_: object, **__: object) -> Any:
        self._do("begin")
        return SimpleNamespace(config=config, run_id="r", paths=None)

    def run_stage(self, name: str, ctx: object) -> None:
        if name == "score":
            self.scored.set()
        self._do(name)

    def check(self, table: str, ctx: object, spark: object) -> None:
        if table == "assignments":
            # The check is still at work when the next stage has begun.
            assert self.scored.wait(10)
        self._do(f"check_{table}")

    def read_ahead(self, ctx: object) -> None:
        self._do("read_ahead")

    def conclude(self, ctx: object, error: str | None = None) -> None:
        self.concluded.append(error)

    def _do(self, name: str) -> None:
        self.asked.append(name)
        if name in self.errors:
            raise self.errors[name]


def run(monkeypatch: pytest.MonkeyPatch, **errors: Exception) -> Steps:
    steps = Steps(**errors)
    monkeypatch.setattr(whole, "runner", steps)
    session = SimpleNamespace(get=lambda: SimpleNamespace(newSession=lambda: None))
    monkeypatch.setattr(whole, "session", session)
    try:
        whole.run_all(CONFIG, Path("nowhere"), "r")
    except (StageError, InputError) as error:
        steps.errors["raised"] = error
    return steps


def test_nothing_tells_of_a_run_before_all_checks_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run(monkeypatch)
    checks = [name for name in steps.asked if name.startswith("check_")]
    assert checks == [
        f"check_{table}"
        for table in (
            "streams",
            "measurements",
            "assignments",
            "scores",
            "latency",
            "pareto",
            "comparisons",
            "rankings",
            "indicators",
            "dominance",
            "differences",
        )
    ]
    assert steps.asked.index("track") > max(map(steps.asked.index, checks))
    assert steps.concluded == [None]


def test_a_failed_check_is_what_failed_even_if_a_stage_fails_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = ValidationFailed("assignments", ["unassigned"])
    steps = run(monkeypatch, check_assignments=failed, score=StageError("score: no such row"))
    assert steps.errors["raised"] is failed
    assert steps.concluded == [str(failed)]
    assert "track" not in steps.asked


def test_what_tells_of_a_run_reads_it_once_all_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run(monkeypatch)
    stages = [name for name in steps.asked if not name.startswith("check_")]
    assert stages[stages.index("compare") :][:3] == ["compare", "read_ahead", "track"]


def test_a_failed_check_counts_more_than_what_could_not_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = ValidationFailed("scores", ["cbs"])
    steps = run(monkeypatch, check_scores=failed, read_ahead=StageError("read_ahead: no rows"))
    assert steps.errors["raised"] is failed
    assert "track" not in steps.asked


def test_a_failed_check_keeps_the_run_from_being_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = ValidationFailed("assignments", ["unassigned"])
    steps = run(monkeypatch, check_assignments=failed)
    assert steps.errors["raised"] is failed
    assert steps.concluded == [str(failed)]
    assert not {"track", "report"} & set(steps.asked)


def test_a_run_that_cannot_begin_is_not_concluded(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = run(monkeypatch, begin=InputError("run_id is in use"))
    assert (steps.asked, steps.concluded) == (["begin"], [])
