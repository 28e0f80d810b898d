"""Rows of real tables are the same whether Spark fetches them or not."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import schemas
from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.engine import steps
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import reader, tables
from pipeline.warehouse.storage.reader import FileSource, SparkSource
from schemas.tables.assignment.latency import HISTOGRAM_BINS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

SMALL = [name for name, table in schemas.TABLES.items() if table.audit is None]


@pytest.mark.parametrize("table", SMALL)
def test_a_frame_has_the_rows_and_types_that_spark_reads(
    spark: SparkSession, small_run: RunContext, table: str
) -> None:
    fetched = reader.frame(spark, table, small_run.paths, small_run.run_id)
    read = tables.read(spark, table, small_run.paths, small_run.run_id)
    kinds, expected = ([(f.name, f.dataType) for f in one.schema] for one in (fetched, read))
    assert kinds == expected
    if FileSource(small_run.paths).count(table, small_run.run_id):
        key = [(name, "ascending") for name in schemas.TABLES[table].key]
        ours, theirs = (one.toArrow().sort_by(key) for one in (fetched, read))
        assert ours.equals(theirs.cast(ours.schema))


def test_a_frame_is_there_before_the_first_job(spark: SparkSession, small_run: RunContext) -> None:
    frame = reader.frame(spark, "scores", small_run.paths, small_run.run_id)
    assert frame.inputFiles() == []


@pytest.mark.parametrize("table", tables.DATA)
def test_both_count_the_same(spark: SparkSession, small_run: RunContext, table: str) -> None:
    count = FileSource(small_run.paths).count(table, small_run.run_id)
    assert count == SparkSource(spark, small_run.paths).count(table, small_run.run_id)
    assert FileSource(small_run.paths).count(table, "no such run") == 0


KEYS = ("experiment", "delta", "algorithm")


def test_histograms_are_added_up_where_they_are_read(
    spark: SparkSession, small_run: RunContext
) -> None:
    rows = FileSource(small_run.paths).rows(
        "latency", [*KEYS, "histogram"], run_id=[small_run.run_id]
    )
    expected: dict[tuple[object, ...], np.ndarray] = {}
    for *key, counts in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
        expected[tuple(key)] = expected.get(tuple(key), 0) + np.array(counts)
    assert sum(counts.sum() for counts in expected.values()) > 0
    for here in (FileSource(small_run.paths), SparkSource(spark, small_run.paths)):
        summed = here.sums("latency", small_run.run_id, KEYS, "histogram", HISTOGRAM_BINS)
        sums = {tuple(row[k] for k in KEYS): row["histogram"] for row in summed.to_pylist()}
        assert sums.keys() == expected.keys()
        assert all((sums[key] == expected[key]).all() for key in expected)
        assert here.sums("latency", "no such run", KEYS, "histogram", HISTOGRAM_BINS).num_rows == 0


def test_a_check_names_the_file_that_it_cannot_read(small_run: RunContext, tmp_path: Path) -> None:
    shutil.copytree(small_run.paths.warehouse, tmp_path / "warehouse")
    ctx = dataclasses.replace(small_run, paths=Paths(tmp_path / "warehouse"))
    (file,) = Path(ctx.paths.table("scores"), f"run_id={ctx.run_id}").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(StageError, match=f"check_scores: table scores: cannot read .*{file.name}"):
        steps.check("scores", ctx)
