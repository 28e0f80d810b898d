"""The stage says what differs from the baseline, and nothing where there is none."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import schemas
from pipeline.base.paths import Paths
from pipeline.base.progress import Progress
from pipeline.experiments.shared import compare
from pipeline.settings import load

pytestmark = pytest.mark.unit

NIGHT = datetime(2026, 11, 20, tzinfo=UTC)


def ctx(warehouse: Path, *run_ids: str) -> Any:
    """Tables of some runs with equal results, the last of them not yet published."""
    paths, n = Paths(warehouse), len(run_ids)
    setup = load.resolve("smoke", None, [], [])
    config = setup.to_json(private=False)
    where = {"run_id": run_ids, "experiment": ["e"] * n, "delta": [5.0] * n}
    where["algorithm"] = ["MWF"] * n
    ends = pa.array([NIGHT] * (n - 1) + [None], pa.timestamp("us", "UTC"))
    runs = {
        "run_id": run_ids,
        "status": ["published"] * (n - 1) + ["running"],
        "config": [config] * n,
        "seed": [1] * n,
        "versions": ['{"code": "abc"}'] * n,
        "created_at": pa.array([NIGHT] * n, pa.timestamp("us", "UTC")),
        "finished_at": ends,
    }
    bounds = {f"{m}_{end}": [0.5] * n for m in ("cbs", "mean_rscore") for end in ("low", "high")}
    means = dict.fromkeys(("cbs", "mean_rscore", "mean_consumers"), [0.5] * n)
    fronts = where | means | bounds | {"replicates": [2] * n}
    waits = where | dict.fromkeys(("p50", "p90", "p99"), [1.5] * n)
    for table, columns in (("runs", runs), ("pareto", fronts), ("latency", waits)):
        write_deltalake(paths.table(table), pa.table(columns), partition_by=["run_id"])
    return SimpleNamespace(run_id=run_ids[-1], paths=paths, config=setup)


def differences(run: Any) -> list[dict[str, Any]]:
    """Rows that the stage makes."""
    work: Any = SimpleNamespace(config=run.config)
    spark: Any = None
    return [dict(row) for row in compare.run(work, compare.against_baseline(spark, run))]


def test_measurements_are_not_compared(tmp_path: Path) -> None:
    measured = ctx(tmp_path, "a", "b")
    measured.config = load.resolve("live-smoke", None, [], [])
    assert differences(measured) == []


def test_rows_have_all_columns_of_the_contract(tmp_path: Path) -> None:
    rows = differences(ctx(tmp_path, "before", "now"))
    assert [row["metric"] for row in rows] == list(
        ("cbs", "mean_rscore", "mean_consumers", "p50", "p90", "p99")
    )
    columns = {column.name for column in schemas.TABLES["differences"].columns}
    assert all(row.keys() == columns - {"run_id"} for row in rows)
    assert {(row["baseline_run_id"], row["verdict"]) for row in rows} == {("before", "same")}


def test_a_run_without_results_is_no_baseline(tmp_path: Path) -> None:
    """All would be new, and nothing moved: from then on the gate would let everything pass."""
    nights = ctx(tmp_path, "before", "empty", "now")
    DeltaTable(nights.paths.table("pareto")).delete("run_id = 'empty'")
    shown = io.StringIO()
    with Progress(stream=shown).step("compare"):
        rows = differences(nights)
    assert {row["baseline_run_id"] for row in rows} == {"before"}
    assert "run empty is published" in shown.getvalue()
    DeltaTable(nights.paths.table("pareto")).delete("run_id = 'before'")
    assert differences(nights) == []


def test_a_first_run_differs_from_nothing(tmp_path: Path) -> None:
    assert differences(ctx(tmp_path, "now")) == []
