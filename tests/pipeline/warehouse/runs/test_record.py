"""The row of a run, without Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipeline.base.paths import Paths
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import context, record
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables

pytestmark = pytest.mark.unit

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("status", ["published", "failed"])
def test_a_clock_that_is_set_back_does_not_end_a_run_before_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    written: list[dict[str, object]] = []
    monkeypatch.setattr(record, "now", lambda: BEGAN - timedelta(days=1))
    monkeypatch.setattr(tables, "of_rows", lambda spark, rows, table: written.extend(rows))
    monkeypatch.setattr(tables, "write", lambda *_: None)
    config = resolve("smoke", None, [], [])
    ctx = RunContext("r", config, Paths(tmp_path), "me", BEGAN, {"code": "1"})
    record.record(None, ctx, status)  # type: ignore[arg-type]
    assert [row["finished_at"] for row in written] == [BEGAN]


def test_a_run_has_begun_once_it_is_saved_by_the_same_begin(tmp_path: Path) -> None:
    config = resolve("smoke", None, [], [])
    earlier = RunContext("r", config, Paths(tmp_path), "me", BEGAN)
    assert not earlier.has_begun()
    earlier.save()
    assert earlier.has_begun()
    assert context.load(tmp_path, "r").has_begun()
    assert not RunContext("r", config, Paths(tmp_path), "you", BEGAN).has_begun()
    again = RunContext("r", config, Paths(tmp_path), "me", BEGAN + timedelta(seconds=1))
    assert not again.has_begun()
