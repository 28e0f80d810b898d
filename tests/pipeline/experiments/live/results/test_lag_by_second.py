"""Consumers and lag over time, from the rows of all partitions."""

from __future__ import annotations

import math

import pandas as pd
import pyarrow as pa
import pytest

from pipeline.experiments.live.results import lag_by_second
from tests.pipeline.experiments.live.live_cases import Rows

pytestmark = pytest.mark.unit


def test_lag_is_added_up_and_owners_are_counted_once() -> None:
    rows = pa.table(
        {
            "second": [2, 1, 1, 2, 1, 3, 3, 3],
            "lag": [4, 1, 2, 5, 3, 0, 0, 2**40],
            "owner": pa.array([7, 0, 3, None, 3, None, None, None], pa.int32()),
            "speed": [1.5, 1.0, 2.0, 2.5, 3.0, 0.0, 0.0, 0.0],
            "longest_s": pa.array([0.5, 0.1, None, 0.75, 0.2, None, None, None], pa.float64()),
        }
    )
    lags = lag_by_second.reduced(rows)
    assert lags["second"].tolist() == [1, 2, 3]
    assert lags["lag"].tolist() == [6, 9, 2**40]
    assert lags["consumers"].tolist() == [2, 1, 0]
    assert lags["speed"].tolist() == [6.0, 4.0, 0.0]
    assert lags["longest_s"].tolist()[:2] == [0.2, 0.75]
    assert math.isnan(lags["longest_s"].tolist()[2])


def test_only_the_first_stream_of_an_experiment_is_read() -> None:
    places = [(e, f"{e}-r{r}", s) for e in ("b", "a") for r in (2, 1) for s in ("MWF", "kd_1")]
    runs = [dict(zip(lag_by_second.PLACE, place, strict=True)) for place in places]
    lag = [
        {**run, "run_id": run_id, "second": 1, "lag": 5, "owner": 0, "speed": 1.0, "longest_s": 0.1}
        for run in runs
        for run_id in ("mine", "other")
    ]
    lags = lag_by_second.of_runs(Rows({"live_lag": lag}), "mine", pd.DataFrame(runs))
    assert lags["stream_id"].tolist() == ["a-r1", "a-r1", "b-r1", "b-r1"]
    assert lags["strategy"].tolist() == ["MWF", "kd_1"] * 2
    assert lags["lag"].tolist() == [5] * 4


def test_a_run_without_rows_has_no_seconds() -> None:
    runs = pd.DataFrame(columns=[*lag_by_second.PLACE])
    assert lag_by_second.of_runs(Rows({}), "mine", runs).empty
