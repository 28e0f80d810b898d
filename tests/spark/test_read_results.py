"""What report and tracking read of a run: whole tables, counts, versions and series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.dataset as ds
import pytest
from deltalake import DeltaTable
from pyspark.sql import functions as F

from pipeline.experiments import lineage
from pipeline.experiments.assignment.results.sums_over_streams import MOST_POINTS, series
from pipeline.experiments.shared.read_results import gather
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_tables_with_rows_are_counted_and_have_a_version(
    spark: SparkSession, small_run: RunContext
) -> None:
    states = gather(spark, small_run).states
    names = [state.name for state in states]
    assert names == [table for table in lineage.order() if table in names]
    assert {"streams", "measurements", "scores"} < set(names)
    assert not {"bounds", "simulations", "live_runs", "trainings"} & set(names)
    for state in states:
        there = DeltaTable(state.path, version=state.version).to_pyarrow_dataset()
        assert there.count_rows(ds.field("run_id") == small_run.run_id) == state.rows > 0
        assert state.version == DeltaTable(state.path).version()


def test_series_are_means_over_streams(spark: SparkSession, small_run: RunContext) -> None:
    series = gather(spark, small_run)["series"].dropna()
    keys = ["experiment", "delta", "algorithm", "iteration"]
    rows = tables.read(spark, "assignments", small_run.paths, small_run.run_id).toPandas()
    expected = rows.groupby(keys)[["n_consumers", "rscore"]].mean()
    by_key = series.set_index(keys).sort_index()
    assert set(series["algorithm"]) == {"MWF", "BFD", "NF"}
    for column in ("n_consumers", "rscore"):
        means = expected.loc[by_key.index, column].to_numpy()
        assert by_key[column].to_numpy() == pytest.approx(means, abs=1e-9)
    assert (by_key["rscore"] > 0).any()


def assigned(spark: SparkSession, length: int) -> DataFrame:
    """Assignments of two experiments, of which one has a tenth of the iterations."""
    long = spark.range(1, length + 1).selectExpr("'long' AS experiment", "int(id) AS iteration")
    short = long.where(f"iteration <= {length // 10}").withColumn("experiment", F.lit("short"))
    numbers = {"delta": F.lit(5.0), "algorithm": F.lit("MWF"), "n_consumers": F.col("iteration")}
    return long.union(short).withColumns(numbers | {"rscore": F.lit(0.5)})


@pytest.mark.parametrize("length", [MOST_POINTS, MOST_POINTS + 1, 2 * MOST_POINTS, 7_001, 12_345])
def test_long_series_have_spans_of_equal_length(spark: SparkSession, length: int) -> None:
    """No iteration is left out: each row has the extremes and the mean of its span."""
    lengths = {"long": length, "short": length // 10}
    spans = series(assigned(spark, length), lengths).toPandas().sort_values("iteration")
    long = spans[spans["experiment"] == "long"]
    begun = long["iteration"].to_numpy()
    assert MOST_POINTS / 2 <= len(begun) <= MOST_POINTS
    assert len(begun) == length or length > MOST_POINTS
    every = begun[1] - 1
    assert begun.tolist() == list(range(1, length + 1, every))
    last = np.minimum(begun + every - 1, length)
    # In iteration k there are k consumers.
    assert long["n_consumers_min"].to_list() == begun.tolist()
    assert long["n_consumers_max"].to_list() == last.tolist()
    assert long["n_consumers"].to_list() == ((begun + last) / 2).tolist()
    assert long["n_rows"].to_list() == (last - begun + 1).tolist()
    short = spans[spans["experiment"] == "short"]
    assert short["iteration"].to_list() == list(range(1, length // 10 + 1))
