"""A row of `runs`, as stages that report on it read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

Timing = tuple[str, list[str] | None, float]
"""A stage, its units and its seconds."""


def run_row(run_id: str, config: Mapping[str, Any], *timings: Timing) -> dict[str, Any]:
    """The row of a run of a preset, with seed 7."""
    stages = [dict(zip(("stage", "units", "seconds"), one, strict=True)) for one in timings]
    return {
        "run_id": run_id,
        "status": "running",
        "preset": config["preset"],
        "seed": 7,
        "created_at": pd.Timestamp("2025-01-02 03:04:05"),
        "config": json.dumps({"seed": 7, "experiments": [], "traces": [], **config}),
        "versions": json.dumps({"numpy": "2.4.6", "code": "0123abcd"}),
        "stage_timings": json.dumps(stages),
    }
