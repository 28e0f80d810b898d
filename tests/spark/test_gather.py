"""What report and tracking read of a run: whole tables, counts, versions and series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest
from deltalake import DeltaTable

from pipeline import tables
from pipeline.context import RunContext
from pipeline.stages.gather import gather

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_tables_are_counted_and_have_a_version(spark: SparkSession, small_run: RunContext) -> None:
    states = gather(spark, small_run).tables
    assert [state.name for state in states] == list(tables.DATA)
    for state in states:
        there = DeltaTable(state.path, version=state.version).to_pyarrow_dataset()
        assert there.count_rows(ds.field("run_id") == small_run.run_id) == state.rows
        assert state.version == DeltaTable(state.path).version()
    assert {state.name: state.rows for state in states}["measurements"] > 0


def test_series_are_means_over_streams(spark: SparkSession, small_run: RunContext) -> None:
    series = gather(spark, small_run).series.dropna()
    keys = ["experiment", "delta", "algorithm", "iteration"]
    rows = tables.read(spark, "assignments", small_run.paths, small_run.run_id).toPandas()
    expected = rows.groupby(keys)[["n_consumers", "rscore"]].mean()
    found = series.set_index(keys).sort_index()
    assert set(series["algorithm"]) == {"MWF", "BFD", "NF"}
    for column in ("n_consumers", "rscore"):
        known = expected.loc[found.index, column].to_numpy()
        assert found[column].to_numpy() == pytest.approx(known, abs=1e-9)
    assert (found["rscore"] > 0).any()
