"""The order in which retention removes things, and what it leaves alone, without Spark."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from pipeline.base.errors import InputError, StageError
from pipeline.base.paths import Paths
from pipeline.engine import maintenance
from pipeline.engine.retention_policy import Removal
from pipeline.reporting.regression.baseline_candidates import Promotion
from pipeline.settings import load
from pipeline.warehouse.runs import lock, record
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import append, table_files, tables
from pipeline.warehouse.storage.reader import FileSource

pytestmark = pytest.mark.unit

Steps = list[tuple[str, tuple[str, ...]]]
UTC_TIME = pa.timestamp("us", "UTC")


@contextmanager
def at_work(paths: Paths, run_id: str) -> Iterator[None]:
    """Another process works on a run, according to the operating system."""
    folder = paths.state(run_id)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        yield


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """Runs of four nights, of which the policy keeps the last; those before it lose their rows."""
    paths = Paths(tmp_path / "warehouse")
    n = 4
    begun = [datetime.now(UTC) - timedelta(days=age) for age in range(n)]
    rows = {
        "run_id": [f"r{age}" for age in range(n)],
        "status": ["published"] * n,
        "preset": ["smoke"] * n,
        "config": [load.resolve("smoke", None, [], []).to_json(private=False)] * n,
        "seed": [1] * n,
        "versions": ['{"code": "abc"}'] * n,
        "created_at": pa.array(begun, UTC_TIME),
        "finished_at": pa.array(begun, UTC_TIME),
    }
    write_deltalake(paths.table("runs"), pa.table(rows), partition_by=["run_id"])
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", "1")
    return paths


def accept(paths: Paths, run_id: str) -> None:
    """Promote a run."""
    promotion = Promotion(run_id, datetime.now(UTC), "ada", "meant")
    row = append.arrow(promotion._asdict())
    write_deltalake(paths.table("baselines"), row, mode="append", partition_by=["run_id"])


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """What is asked of Spark, in order: a table, or the withdrawal, and the runs."""
    log: Steps = []

    def withdraw(spark: Any, paths: Paths, run_ids: Sequence[str], why: str) -> None:
        log.append(("withdraw", tuple(run_ids)))

    def delete(spark: Any, paths: Paths, table: str, run_ids: Sequence[str]) -> None:
        log.append((table, tuple(run_ids)))

    monkeypatch.setattr(session, "get", lambda: None)
    monkeypatch.setattr(record, "withdraw", withdraw)
    monkeypatch.setattr(tables, "delete_runs", delete)
    monkeypatch.setattr(table_files, "vacuum", lambda *_: None)
    return log


def test_a_run_is_withdrawn_first_and_forgotten_last(places: Paths, steps: Steps) -> None:
    gone = ("r1", "r2", "r3")
    assert maintenance.retain(places) == Removal(bulky=(), whole=gone)
    assert steps[0] == ("withdraw", gone)
    assert steps[-1] == ("runs", gone)
    assert {table for table, _ in steps[1:-1]} == set(tables.DATA)
    assert not places.state("r1").exists()


def test_a_run_at_work_is_left_alone(places: Paths, steps: Steps) -> None:
    with at_work(places, "r2"):
        assert maintenance.retain(places).whole == ("r1", "r3")
    assert maintenance.retain(places).whole == ("r1", "r2", "r3")


def test_nobody_begins_a_run_or_works_for_it_while_its_rows_go(
    places: Paths, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []
    turn = threading.Lock()

    def intrude(spark: Any, paths: Paths, table: str, run_ids: Sequence[str]) -> None:
        folder = places.state("r2")
        # Another process has its own table of what it holds. Rows go in several threads, and the
        # patch is this process's: one thread plays the other process at a time.
        with turn, monkeypatch.context() as patch:
            patch.setattr(lock, "_held", {})
            with pytest.raises(InputError, match="in use"):
                lock.claim(folder, "r2")
            with pytest.raises(StageError, match="another process"), lock.Share(folder, "r2"):
                pass
        refused.append(table)

    monkeypatch.setattr(tables, "delete_runs", intrude)
    maintenance.retain(places)
    assert refused[-1] == "runs"
    assert lock._held.keys().isdisjoint({places.state(f"r{age}") for age in range(4)})


def test_a_promotion_after_the_plan_counts(
    places: Paths, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lock.claim

    def late(folder: Path, run_id: str, alone: bool = False) -> None:
        if run_id == "r3":
            accept(places, "r3")
        real(folder, run_id, alone)

    monkeypatch.setattr(lock, "claim", late)
    assert maintenance.plan(FileSource(places)).whole == ("r1", "r2", "r3")
    assert maintenance.retain(places).whole == ("r1", "r2")


def test_the_baseline_of_a_configuration_in_use_keeps_all_of_its_rows(
    places: Paths, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest nights have moved, so the first one is still the baseline."""
    moved = {"run_id": ["r0", "r1", "r2"], "verdict": ["moved"] * 3}
    write_deltalake(places.table("differences"), pa.table(moved), partition_by=["run_id"])
    assert maintenance.retain(places) == Removal(bulky=(), whole=("r1", "r2"))
    monkeypatch.setattr(maintenance, "now", lambda: datetime.now(UTC) + timedelta(days=91))
    assert maintenance.retain(places) == Removal(bulky=(), whole=("r1", "r2", "r3"))


def test_many_runs_are_held_some_at_a_time(
    places: Paths, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "MOST_CLAIMED", 2)
    assert maintenance.retain(places).whole == ("r1", "r2", "r3")
    assert [ids for table, ids in steps if table == "runs"] == [("r1", "r2"), ("r3",)]
