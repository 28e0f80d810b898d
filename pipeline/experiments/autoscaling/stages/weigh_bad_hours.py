"""Stage `weigh_bad_hours`: what events at the busiest hour cost, with intervals over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import Interval, mean_interval, median_interval

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

_KEYS = ["experiment", "strategy", "setting", "kind", "event"]


def run(work: Work, bad_hour_runs: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `bad_hour_effects`."""
    # One order on any number of tasks.
    ordered = bad_hour_runs.sort_values([*_KEYS, "number"])
    for key, rows in ordered.groupby(_KEYS):
        named = dict(zip(_KEYS, key, strict=True))
        seed = derive_seed(work.config.seed, "bad hour", *key)
        yield named | effect(rows, seed)


def effect(rows: pd.DataFrame, seed: int) -> dict[str, Any]:
    """Figures of a strategy in an event.

    rows: Of `bad_hour_runs`: a seed each.
    seed: Of the resamples.
    """
    added = (rows["replica_minutes"] - rows["quiet_minutes"]).to_numpy(np.float64)
    gone_s = rows["lag_gone_after_s"].to_numpy(np.float64)
    nothing = Interval(math.nan, math.nan, math.nan)
    lasts = bool(np.isnan(gone_s).any())
    return {
        "seeds": len(rows),
        "recovered": None if lasts else int(np.isfinite(gone_s).sum()),
        **_ends("late_events", mean_interval(rows["late_events"].to_numpy(np.float64), seed=seed)),
        **_ends("greatest_age_s", median_interval(rows["greatest_age_s"].to_numpy(np.float64))),
        **_ends("lag_gone_after_s", nothing if lasts else median_interval(gone_s)),
        **_ends("added_minutes", mean_interval(added, seed=seed)),
    }


def _ends(name: str, interval: Interval) -> dict[str, float | None]:
    values = zip((name, f"{name}_low", f"{name}_high"), interval, strict=True)
    return {key: None if math.isnan(value) else value for key, value in values}
