"""Streams are what was planned, also while both tables are being made at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.base.paths import Paths
from pipeline.engine import stage_work
from pipeline.experiments.family_list import stage
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext, now
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

PARTITIONS, ROUNDS = 3_000, 10


def test_partitions_have_different_names(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark keeps the variable of a lambda in the plan, so two queries must not share one."""
    settings = [f"partitions={PARTITIONS}", "iterations=1", "deltas=5", "replicates=4"]
    config = resolve("nightly", None, [*settings, "algorithms=NF"], [])
    ctx = RunContext("names", config, Paths(tmp_path), "test", now())
    seen: dict[str, Any] = {}

    def keep(_: SparkSession, frame: DataFrame, table: str, *rest: object) -> None:
        seen[table] = frame.toArrow()

    monkeypatch.setattr(tables, "write", keep)
    for _ in range(ROUNDS):
        stage_work.run(spark, ctx, stage("write_streams"))
        assert all(len(set(names)) == PARTITIONS for names in seen["streams"]["partitions"])
        assert seen["measurements"].num_rows == 4
