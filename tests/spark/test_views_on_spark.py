"""Readers see published runs and nothing else."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest
from pandas.testing import assert_frame_equal

import schemas
from pipeline.base.paths import Paths
from pipeline.engine import steps
from pipeline.warehouse.runs import record
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import sql, views
from tests import guides, warehouse

if TYPE_CHECKING:
    import pyarrow as pa
    from pandas import DataFrame
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.usefixtures("few_rows")
def test_views_hold_published_runs_only(spark: SparkSession, copied: RunContext) -> None:
    assert views.register(spark, copied.paths) == [*schemas.TABLES, *schemas.VIEWS]
    before = spark.table("scores").count()
    assert before > 0
    other = dataclasses.replace(copied, run_id="other")
    other.save()
    record.record(spark, other, "running")
    spark.table("scores").limit(1)
    assert [row["run_id"] for row in spark.table("runs").collect()] == ["small"]
    steps.conclude(other, "stopped by a test")
    assert spark.table("runs").count() == 1
    assert spark.table("scores").count() == before


@pytest.fixture(scope="module")
def example(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Paths, str]]:
    """A warehouse of several runs, which Spark has not written, and what the guide's example says.

    The example names the views. Queries are interpreted, as those of the pipeline on few rows.
    """
    paths = warehouse.write(Paths(tmp_path_factory.mktemp("invented")))
    paths = warehouse.write_learning(warehouse.write_live(warehouse.write_scaling(paths)))
    paths = warehouse.write_brokers(warehouse.write_pulsar(paths))
    warehouse.write_published(warehouse.write_applications(paths), "scaled")
    start = "from pipeline.base import paths\nfrom pipeline.warehouse.spark"
    code = compile(guides.block("docs/analyst.md", start), "docs/analyst.md", "exec")
    with pytest.MonkeyPatch.context() as patch, session.for_few_rows(spark):
        patch.setenv("GROUPSCALE_WAREHOUSE", str(paths.warehouse))
        with redirect_stdout(io.StringIO()) as said:
            exec(code, {})
        yield paths, said.getvalue()


def test_the_example_of_the_guide(example: tuple[Paths, str]) -> None:
    assert "MWF" in example[1]


@pytest.mark.parametrize("view", schemas.VIEWS.values(), ids=schemas.VIEWS)
def test_spark_and_duckdb_give_the_same_rows(
    spark: SparkSession, example: tuple[Paths, str], view: schemas.View
) -> None:
    """Of seven runs, with values that are null or infinite."""
    paths, _ = example
    theirs = by_key(spark.table(view.name).toArrow(), view)
    with sql.connect(paths) as tables:
        ours = by_key(tables.table(view.name).to_arrow_table(), view)
    assert len(ours)
    assert list(ours.columns) == list(theirs.columns) == [c.name for c in view.columns]
    # Means are sums in the order in which an engine meets the rows; all else is exact.
    assert_frame_equal(ours, theirs, check_exact=False, rtol=1e-12, atol=0)


def by_key(table: pa.Table, view: schemas.View) -> DataFrame:
    """Rows in order, with types as pandas has them."""
    frame: DataFrame = table.to_pandas()
    for column in view.columns:
        if column.type == "timestamp":
            frame[column.name] = (
                frame[column.name].dt.tz_convert("UTC").astype("datetime64[us, UTC]")
            )
        if column.type == "string":
            frame[column.name] = frame[column.name].astype("object")
    return frame.sort_values(list(view.key), ignore_index=True)


def test_the_runs_table_tells_how_the_run_was_made(
    spark: SparkSession, small_run: RunContext
) -> None:
    row = (
        spark.read.format("delta")
        .load(small_run.paths.table("runs"))
        .where("run_id = 'small'")
        .first()
    )
    assert row is not None
    assert row["status"] == "published"
    assert '"pyspark": "4.' in row["versions"]
    assert '"stage": "run_algorithms"' in row["stage_timings"]
    assert row["finished_at"] > row["created_at"]
