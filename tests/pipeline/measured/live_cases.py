"""Small results of a run on a broker, without running one."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pandas as pd

from pipeline.config.live_experiment import LiveExperiment
from pipeline.runs.run_results import Results, TableState
from tests.schemas import tiny_live

TABLES = (
    *("live_runs", "live_plans", "live_events"),
    *("live_latency", "live_integrity", "live_agreement"),
)


@cache
def small(**settings: Any) -> Results:
    """One experiment with two strategies on two streams."""
    given: dict[str, Any] = dict(tiny_live.EXPERIMENT)
    del given["strategies"]
    experiment = LiveExperiment(
        **given | {"strategies": tiny_live.STRATEGIES, "iteration_seconds": 4.0} | settings
    )
    rows = tiny_live.rows("live-20250102T030405")
    tables = {name: pd.DataFrame(rows[name]) for name in TABLES}
    streams = pd.DataFrame(rows["streams"]).drop(columns="partitions").assign(n_partitions=2)
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    return Results(
        {**tables, "streams": streams, "validations": _validations()}, _run(experiment), states
    )


def _run(experiment: LiveExperiment) -> dict[str, Any]:
    config = {"preset": "live-smoke", "seed": 7, "experiments": [], "traces": []}
    return {
        "run_id": "live-20250102T030405",
        "status": "running",
        "preset": "live-smoke",
        "seed": 7,
        "created_at": pd.Timestamp("2025-01-02 03:04:05"),
        "config": json.dumps(config | {"live": [experiment.model_dump(mode="json")]}),
        "versions": json.dumps({"numpy": "2.4.6", "code": "0123abcd"}),
        "stage_timings": json.dumps(
            [{"stage": "measure_groups", "units": ["brokered δ=25"], "seconds": 61.5}]
        ),
    }


def _validations() -> pd.DataFrame:
    columns = ("table", "rule", "meaning", "observed", "success")
    rows = [("live_integrity", "nothing_lost", "No record is lost.", "as expected", True)]
    return pd.DataFrame(rows, columns=columns)
