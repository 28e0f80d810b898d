"""Readers see published runs and nothing else."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

import schemas
from pipeline import runner, runs, views
from pipeline.context import RunContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_views_hold_published_runs_only(spark: SparkSession, small_run: RunContext) -> None:
    assert views.register(spark, small_run.paths) == list(schemas.TABLES)
    before = spark.table("scores").count()
    assert before > 0
    other = dataclasses.replace(small_run, run_id="other")
    other.save()
    runs.record(spark, other, "running")
    spark.table("scores").limit(1)
    assert [row["run_id"] for row in spark.table("runs").collect()] == ["small"]
    runner.conclude(other, "stopped by a test")
    assert spark.table("runs").count() == 1
    assert spark.table("scores").count() == before


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
