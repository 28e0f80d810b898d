"""Means and medians over seeds of what events cost."""

from __future__ import annotations

import math
import statistics
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.autoscaling.stages import weigh_bad_hours

pytestmark = pytest.mark.unit

SEEDS = 31


def runs(gone_s: list[float], event: str = "crash") -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = len(gone_s)
    return pd.DataFrame(
        {
            **{"experiment": "x", "strategy": "linear", "setting": "", "kind": event},
            **{"event": event, "number": range(1, n + 1), "lag_gone_after_s": gone_s},
            **{"late_events": rng.random(n), "greatest_age_s": 40.0 + rng.random(n)},
            **{"replica_minutes": 10.0 + rng.random(n), "quiet_minutes": 11.0},
        }
    )


def weighed(rows: pd.DataFrame) -> list[dict[str, Any]]:
    work: Any = SimpleNamespace(config=SimpleNamespace(seed=7))
    return [dict(row) for row in weigh_bad_hours.run(work, rows)]


def test_times_are_medians_and_events_means() -> None:
    rows = runs([float(k) for k in range(1, SEEDS + 1)])
    (row,) = weighed(rows)
    assert row["lag_gone_after_s"] == 16.0
    # Two-sided binomial: 10 values of 31 below the 10th from either end with 4 % at most.
    assert (row["lag_gone_after_s_low"], row["lag_gone_after_s_high"]) == (10.0, 22.0)
    assert row["late_events"] == pytest.approx(statistics.fmean(rows["late_events"]))
    assert row["late_events_low"] < row["late_events"] < row["late_events_high"]
    assert row["greatest_age_s"] == statistics.median(rows["greatest_age_s"])
    added = rows["replica_minutes"] - rows["quiet_minutes"]
    assert row["added_minutes"] == pytest.approx(added.mean())
    assert row["added_minutes_high"] < 0.0
    assert (row["seeds"], row["recovered"]) == (SEEDS, SEEDS)


def test_a_strategy_that_does_not_recover_has_no_finite_time() -> None:
    (row,) = weighed(runs([60.0] * 10 + [math.inf] * 21))
    assert (row["recovered"], row["lag_gone_after_s"]) == (10, math.inf)
    assert (row["lag_gone_after_s_low"], row["lag_gone_after_s_high"]) == (60.0, math.inf)


def test_what_lasts_has_no_time() -> None:
    (row,) = weighed(runs([math.nan] * SEEDS, "warm_up"))
    names = ("recovered", "lag_gone_after_s", "lag_gone_after_s_low", "lag_gone_after_s_high")
    assert [row[name] for name in names] == [None] * 4
    assert row["late_events"] > 0.0


def test_one_seed_has_no_interval() -> None:
    (row,) = weighed(runs([60.0]))
    assert row["lag_gone_after_s"] == 60.0
    assert [value for key, value in row.items() if key.endswith(("_low", "_high"))] == [None] * 8


def test_the_order_of_rows_changes_nothing() -> None:
    rows = pd.concat([runs([60.0, 61.0, 70.0]), runs([5.0, 6.0, 7.0], "restart")])
    assert weighed(rows) == weighed(rows.sample(frac=1.0, random_state=3))
