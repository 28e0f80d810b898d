"""A clock that is changed during a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipeline.engine import local
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.checks import validations_record
from pipeline.warehouse.runs import context
from pipeline.warehouse.runs import record as runs
from tests.e2e.run_tables import rows
from tests.faults.breaking import assert_same_rows


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400)])
def test_a_clock_that_jumps_during_a_run(
    whole: Path, tmp_path: Path, tiny: RunConfig, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    began: list[datetime] = []

    def now() -> datetime:
        """The time, and from the second call on another one."""
        began.append(datetime.now(UTC))
        return began[-1] if len(began) == 1 else began[-1] + jump

    for module in (context, runs, validations_record):
        monkeypatch.setattr(module, "now", now)
    local.run_all(tiny, tmp_path, "jumped")
    (row,) = rows(tmp_path, "runs", "jumped").to_dict("records")
    assert row["status"] == "published"
    assert row["finished_at"] == max(row["created_at"], row["finished_at"])
    assert_same_rows(tmp_path, "jumped", whole)
