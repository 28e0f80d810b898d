"""A run's results say how many rows its tables have, whatever is in memory of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from pipeline.base.paths import Paths
from pipeline.experiments.shared import read_results
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext, now
from pipeline.warehouse.runs.stage import Input, Made

pytestmark = pytest.mark.unit

STORED = {"trajectories": 3600, "streams": 4, "actions": 7, "measurements": 0, "claim_runs": 0}
STORED["bad_hour_runs"] = 0
IN_MEMORY = pd.DataFrame({"x": [1, 2]})


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunContext:
    """A run with few rows in memory of each table."""
    source = SimpleNamespace(count=lambda table, run_id: STORED[table])
    monkeypatch.setattr(read_results.reader, "of", lambda paths: source)
    monkeypatch.setattr(read_results.tables, "version", lambda spark, table, paths: 3)
    config = resolve("autoscaling-smoke", None, [], [])
    return RunContext("r1", config, Paths(tmp_path), "me", now(), {"code": "1"})


def test_thinned_frames_are_not_counted(ctx: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_results.stage_inputs, "read", lambda *_: IN_MEMORY)
    spark: Any = None
    results = read_results.gather(spark, ctx)
    rows = {state.name: state.rows for state in results.states}
    assert len(results["trajectories"]) == 2
    assert rows["trajectories"] == 3600
    assert rows["actions"] == 7
    assert rows["simulations"] == 2
    assert "measurements" not in rows
    # In the order in which a run fills them.
    assert next(iter(rows)) == "streams"
    assert list(rows)[-2:] == ["differences", "validations"]


def test_frames_that_a_run_lacks_are_left_out(
    ctx: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(spark: Any, of: RunContext, item: Input) -> pd.DataFrame | None:
        return None if isinstance(item, Made) else IN_MEMORY

    monkeypatch.setattr(read_results.stage_inputs, "read", read)
    spark: Any = None
    results = read_results.gather(spark, ctx)
    assert "trajectories" not in results.tables
    assert len(results["simulations"]) == 2
