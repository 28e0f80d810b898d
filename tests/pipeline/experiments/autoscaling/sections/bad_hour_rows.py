"""Rows of `bad_hour_effects`, without simulating."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling import scaling_cases

NAME = "diurnal-5"
"""An experiment of the results that events are added to."""

GONE_S: Mapping[str, Mapping[str, float]] = {
    "constant:initial_replicas=5": {"crash": 60.0, "outage:15m": 8_122.0},
    "headroom": {"crash": 90.0, "outage:15m": 1_288.0},
    "linear": {"crash": 120.0, "outage:15m": math.inf},
}
"""Time until the lag is gone by strategy and event, s."""

BLIND = ("blind:10m:kind=stale", "blind:10m:kind=stopped")
"""Two events of one kind."""

SEEDS = 30


def results() -> Results:
    """A small run, one of whose experiments has events."""
    return scaling_cases.small().with_tables(bad_hour_effects=pd.DataFrame(list(_rows())))


def _rows() -> Iterator[dict[str, Any]]:
    for name, times in GONE_S.items():
        strategy, _, setting = name.partition(":")
        named = {"experiment": NAME, "strategy": strategy, "setting": setting, "seeds": SEEDS}
        for event in (*times, *BLIND, "warm_up"):
            gone_s = math.nan if event == "warm_up" else times.get(event, 30.0)
            figures = {
                "late_events": 2_000.0,
                "greatest_age_s": 45.5,
                "lag_gone_after_s": gone_s,
                "added_minutes": -1.5,
            }
            recovered = math.nan if event == "warm_up" else 3.0 if math.isinf(gone_s) else SEEDS
            yield {
                **named,
                **{"kind": event.partition(":")[0], "event": event, "recovered": recovered},
                **figures,
                **{f"{key}_low": 0.9 * value for key, value in figures.items() if value > 0},
                **{f"{key}_high": 1.1 * value for key, value in figures.items() if value > 0},
                **{"added_minutes_low": -2.0, "added_minutes_high": -1.0},
            }
