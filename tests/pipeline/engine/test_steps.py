"""How a run begins, without Spark."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import InputError, StageError
from pipeline.base.process import machine, signals
from pipeline.engine import steps
from pipeline.reporting.tracking import retry
from pipeline.settings import load
from pipeline.warehouse import checks
from pipeline.warehouse.runs import kept_runs, lock
from pipeline.warehouse.runs import record as runs
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.spark import session, session_settings, spark_progress
from pipeline.warehouse.storage import foreign_tables, tables
from schemas.tables.common.runs import RUNNING

pytestmark = pytest.mark.unit


@pytest.fixture
def statuses(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Statuses, and errors, that are written of a run whose id has run before."""
    updates: list[tuple[str, str | None]] = []

    def record(spark: Any, ctx: RunContext, status: str, error: str | None = None) -> None:
        updates.append((status, error))

    monkeypatch.delenv(retry.PATIENCE, raising=False)
    monkeypatch.setattr(session_settings, "settings", dict)
    monkeypatch.setattr(session, "get", lambda brief, kernels: None)
    monkeypatch.setattr(session, "warm_up", lambda spark: None)
    monkeypatch.setattr(session, "for_few_rows", lambda *_: nullcontext())
    monkeypatch.setattr(spark_progress, "mark", lambda *_: None)
    monkeypatch.setattr(checks.validations_record, "write", lambda *_: None)
    monkeypatch.setattr(foreign_tables, "refuse", lambda places: None)
    monkeypatch.setattr(tables, "ensure_all", lambda spark, places: set())
    monkeypatch.setattr(tables, "has_rows", lambda *_: True)
    monkeypatch.setattr(tables, "delete_run", lambda *_: None)
    monkeypatch.setattr(checks.validations_record, "forget", lambda ctx: None)
    monkeypatch.setattr(runs, "record", record)
    return updates


def begin(tmp_path: Path) -> RunContext:
    config = load.resolve("smoke", None, [], [])
    return steps.begin(config, tmp_path / "warehouse", "mine", "me")


def held(tmp_path: Path) -> bool:
    return tmp_path / "warehouse" / ".state" / "mine" in lock._held


def test_a_run_that_begins_is_running(
    tmp_path: Path, statuses: list[tuple[str, str | None]]
) -> None:
    ctx = begin(tmp_path)
    assert statuses == [("running", None)]
    assert held(tmp_path)
    lock.release(ctx.paths.state("mine"))


def test_a_run_that_this_machine_has_no_memory_for_is_refused_before_anything_is_written(
    tmp_path: Path, statuses: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory_gib", lambda: 8.0)
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "local[2]")
    large = ["partitions=50000", "iterations=500", "replicates=4"]
    config = load.resolve("nightly", None, large, [])
    with pytest.raises(InputError, match=r"8\.0 GiB"):
        steps.begin(config, tmp_path / "warehouse", "mine", "me")
    assert statuses == []
    assert not list(tmp_path.rglob("*.json"))


def test_a_run_that_cannot_begin_has_failed(
    tmp_path: Path, statuses: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables, "delete_run", full)
    with pytest.raises(StageError, match="begin: no space left on"):
        begin(tmp_path)
    (first, last) = statuses
    assert first == ("running", None)
    assert last[0] == "failed"
    assert str(last[1]).startswith("begin: no space left on")
    assert not held(tmp_path)


def test_a_signal_waits_until_it_is_known_that_the_run_is_running(
    tmp_path: Path, statuses: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = runs.record

    def interrupted(spark: Any, ctx: RunContext, status: str, error: str | None = None) -> None:
        if status == RUNNING:  # another one, a second later, would end the tests
            os.kill(os.getpid(), signal.SIGINT)
        record(spark, ctx, status, error)

    monkeypatch.setattr(runs, "record", interrupted)
    with signals.taken(), pytest.raises(signals.Interrupted) as raised:
        begin(tmp_path)
    assert statuses == [("running", None), ("failed", "interrupted (SIGINT)")]
    assert raised.value.__notes__ == ["run mine: not published"]
    assert not held(tmp_path)


@pytest.mark.parametrize(("error", "times"), [(None, 2), ("a stage failed", 1)])
def test_only_a_run_that_is_not_published_goes_on_with_what_it_has_measured(
    tmp_path: Path, statuses: list[tuple[str, str | None]], error: str | None, times: int
) -> None:
    measured: list[int] = []
    for attempt in range(2):
        ctx = begin(tmp_path)
        experiment = ctx.paths.live(ctx.run_id) / "e"
        kept_runs.begin(experiment, ctx.version)

        def measure(folder: Path = experiment / "a", number: int = attempt) -> kept_runs.Notes:
            folder.mkdir()
            measured.append(number)
            return {}

        kept_runs.once(experiment / "a", "a", measure)
        steps.conclude(ctx, error)
    assert len(measured) == times


def test_a_run_that_is_interrupted_before_anything_is_said_of_it(
    tmp_path: Path, statuses: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = begin(tmp_path)
    steps.conclude(ctx)

    def interrupt(*_: object) -> None:
        raise signals.Interrupted(signal.SIGTERM)

    monkeypatch.setattr(tables, "ensure_all", interrupt)
    with pytest.raises(signals.Interrupted) as raised:
        begin(tmp_path)
    assert statuses == [("running", None), ("published", None)]
    assert raised.value.__notes__ == ["run mine: not started"]
    assert not held(tmp_path)


@pytest.mark.parametrize("error", [InputError("table scores: refused"), OSError(28, "full")])
def test_a_run_that_fails_before_anything_is_said_of_it_leaves_an_earlier_one_alone(
    tmp_path: Path,
    statuses: list[tuple[str, str | None]],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(tables, "ensure_all", refuse)
    with pytest.raises((InputError, StageError)):
        begin(tmp_path)
    assert statuses == []
    assert not held(tmp_path)
