"""What each consumer is sent, from the rows of its partitions."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from pipeline.experiments.live.results import load_by_consumer
from pipeline.experiments.live.results.lag_by_second import PLACE
from tests.pipeline.experiments.live.live_cases import Rows

pytestmark = pytest.mark.unit


def test_speeds_of_an_owners_partitions_are_added_up() -> None:
    rows = pa.table(
        {
            "second": [2, 1, 1, 1],
            "owner": pa.array([1, 1, 1, None], pa.int32()),
            "speed": [10.0, 20.0, 30.0, 99.0],
            "longest_s": pa.array([None, 0.25, 0.5, 9.0], pa.float64()),
        }
    )
    loads = load_by_consumer.reduced(rows)
    assert loads["second"].tolist() == [1, 2]
    assert loads["owner"].tolist() == [1, 1]
    assert loads["speed"].tolist() == [50.0, 10.0]
    assert loads["longest_s"].tolist()[0] == 0.5


def test_only_groups_that_ask_are_read_on_the_first_stream() -> None:
    strategies = ("MWF", "asking:linear")
    places = [("e", f"e-r{r}", s) for r in (2, 1) for s in strategies]
    runs = [dict(zip(PLACE, place, strict=True)) for place in places]
    values = {"second": 1, "owner": 0, "speed": 5.0, "longest_s": 0.1}
    lag = [{**run, "run_id": "mine", **values} for run in runs]
    loads = load_by_consumer.of_runs(Rows({"live_lag": lag}), "mine", pd.DataFrame(runs))
    assert loads[list(PLACE)].to_numpy().tolist() == [["e", "e-r1", "asking:linear"]]
    others = pd.DataFrame([run for run in runs if run["strategy"] == "MWF"])
    assert load_by_consumer.of_runs(Rows({"live_lag": lag}), "mine", others).empty
