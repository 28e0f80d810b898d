"""An entry in the contract of a table is enough: tables, views and kernels follow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import schemas
from schemas.metrics import ALL, FRONTS

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ENTRIES = {
    "assignment/scores.py": """
from dataclasses import replace

METRICS = tuple(
    replace(m, interval=True, gated=True) if m.name == "mean_migrations" else m for m in METRICS
)
""",
    "autoscaling/simulations.py": """
METRICS = (
    *METRICS,
    _mean("stalled_s", "time not consumed", "stalled s", 1),
    _metric("p95", "95th", "p95", name="latency_p95", averaging="median", gated=True),
    _metric("peak_lag", "lag", "lag", 0, name="greatest_lag", averaging="maximum"),
)
""",
}
"""Columns that `scores` and `simulations` have, as metrics that are averaged."""

SCRIPT = """
import json
import numpy as np
import pandas as pd
import pyarrow as pa
import schemas
from pipeline.experiments.assignment.stages.extract_pareto import extract
from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh

scores = {
    "experiment": ["e"] * 3,
    "delta": [5.0] * 3,
    "algorithm": ["BFD"] * 3,
    "stream_id": ["a", "b", "c"],
}
numbers = ("cbs", "cbs_common", "mean_rscore", "mean_consumers", "mean_migrations")
scores |= {name: [1.0, 2.0, 6.0] for name in numbers} | {"n_positive": [0, 0, 0]}
names = ("sla_percent", "replica_minutes", "partitions_moved", "least_minutes", "stalled_s", "max")
simulations = pd.DataFrame(
    {"experiment": "e", "workload": "w", "replicate": [1, 2, 3], "strategy": "s", "setting": ""}
    | {name: [1.0, 2.0, 6.0] for name in names}
)
described = {**schemas.TABLES, **schemas.VIEWS}
shown = ("pareto", "trade_offs", "per_stream", "results", "strategy_results")
print(json.dumps({
    "columns": {name: [c.name for c in described[name].columns] for name in shown},
    "sql": schemas.VIEWS["strategy_results"].sql,
    "pareto": extract(1)(pa.table(scores)).to_pylist()[0],
    "trade_offs": weigh(simulations, 60.0, 1)[0],
}))
"""


@cache
def extended() -> dict[str, Any]:
    """What follows from contracts with further metrics."""
    with TemporaryDirectory() as folder:
        copied = shutil.copytree(Path(schemas.__file__).parent, Path(folder, "schemas"))
        for name, entries in ENTRIES.items():
            with (copied / "tables" / name).open("a", encoding="utf-8") as contract:
                contract.write(entries)
        command = [sys.executable, "-c", SCRIPT]
        # The copy in this folder is the package that is tested.
        env = {**os.environ, "PYTHONPATH": folder}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    contract: dict[str, Any] = json.loads(done.stdout)
    return contract


@pytest.mark.parametrize(
    ("table", "name"), [("pareto", "mean_migrations"), ("trade_offs", "stalled_s")]
)
def test_a_mean_is_averaged_with_its_interval(table: str, name: str) -> None:
    columns = [name, f"{name}_low", f"{name}_high"]
    assert [column for column in extended()["columns"][table] if column in columns] == columns
    row = extended()[table]
    assert row[name] == 3.0
    assert 1.0 <= row[f"{name}_low"] < 3.0 < row[f"{name}_high"] <= 6.0


@pytest.mark.parametrize(
    ("view", "name"), [("results", "mean_migrations"), ("strategy_results", "stalled_s")]
)
def test_the_view_shows_the_mean_once_with_its_interval(view: str, name: str) -> None:
    columns = extended()["columns"][view]
    assert [columns.count(f"{name}{end}") for end in ("", "_low", "_high")] == [1, 1, 1]


def test_the_view_shows_medians_and_the_maximum() -> None:
    contract = extended()
    assert {"latency_p95", "greatest_lag"} <= set(contract["columns"]["strategy_results"])
    assert "(ORDER BY p95) AS latency_p95" in contract["sql"]
    assert "max(peak_lag) AS greatest_lag" in contract["sql"]


def test_a_mean_has_the_name_of_its_column() -> None:
    """The gate and MLflow look for it in the table of means."""
    means = [item for item in ALL if item.table in FRONTS and item.averaging == "mean"]
    assert [item.name for item in means] == [item.column for item in means]
