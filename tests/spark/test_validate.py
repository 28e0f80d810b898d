"""A failed expectation is recorded, names its rule, and keeps the run from being published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline import runner, runs, tables
from pipeline.config import RunConfig
from pipeline.context import RunContext
from pipeline.errors import ValidationFailed
from pipeline.paths import Paths
from pipeline.stages import generate_streams

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def begun(
    spark: SparkSession, small_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunContext]:
    """A run that has its assignments."""
    ctx = runner.begin(small_config, tmp_path_factory.mktemp("begun"), "begun", "test")
    for stage in ("generate_streams", "run_algorithms"):
        runner.run_stage(stage, ctx)
    yield ctx
    runner.conclude(ctx, "stopped by a test")


# Each spoils the assignments of one stream and algorithm, and names the rules that must notice.
SPOILS = {
    "all on one consumer": (
        "transform(consumers, c -> 0)",
        ["within_capacity", "consumers_mismatch", "rscore_mismatch"],
    ),
    "a partition without consumer": (
        "transform(consumers, (c, i) -> if(i = 0, null, c))",
        ["unassigned"],
    ),
    "a consumer id too high": ("transform(consumers, c -> c + 1000)", ["consumers_out_of_range"]),
}


@pytest.mark.parametrize("spoil", SPOILS)
def test_spoilt_assignments_are_noticed(spark: SparkSession, begun: RunContext, spoil: str) -> None:
    expression, expected = SPOILS[spoil]
    good = tables.read(spark, "assignments", begun.paths, begun.run_id).localCheckpoint()
    spoilt = good.selectExpr(
        "* except (consumers)",
        f"if(algorithm = 'BFD' AND delta = 25, {expression}, consumers) AS consumers",
    )
    tables.write(spark, spoilt, "assignments", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed) as failure:
            runner.check("assignments", begun)
    finally:
        tables.write(spark, good, "assignments", begun.paths, begun.run_id)
    for rule in expected:
        assert rule in str(failure.value)


def test_a_missing_algorithm_is_noticed(spark: SparkSession, begun: RunContext) -> None:
    good = tables.read(spark, "assignments", begun.paths, begun.run_id).localCheckpoint()
    tables.write(spark, good.where("algorithm <> 'NF'"), "assignments", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed, match="streams_times_algorithms"):
            runner.check("assignments", begun)
    finally:
        tables.write(spark, good, "assignments", begun.paths, begun.run_id)


def test_a_repeated_row_is_noticed(spark: SparkSession, begun: RunContext) -> None:
    good = tables.read(spark, "measurements", begun.paths, begun.run_id).localCheckpoint()
    doubled = good.union(good.where("iteration = 2"))
    tables.write(spark, doubled, "measurements", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed, match="iterations_once"):
            runner.check("measurements", begun)
    finally:
        tables.write(spark, good, "measurements", begun.paths, begun.run_id)


def test_what_was_seen_is_recorded(spark: SparkSession, begun: RunContext) -> None:
    runner.check("streams", begun)
    runner.check("assignments", begun)
    seen = tables.read(spark, "validations", begun.paths, begun.run_id)
    seen = seen.where("`table` IN ('streams', 'assignments')")
    assert {row["table"] for row in seen.collect()} == {"streams", "assignments"}
    assert seen.where("NOT success").count() == 0
    assert seen.where("`table` = 'assignments'").count() > 30
    keys = seen.select("table", "rule")
    assert keys.distinct().count() == keys.count()


def test_a_run_that_fails_validation_is_not_published(
    spark: SparkSession, small_config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = generate_streams.specify
    fewer = lambda experiment, root: list(complete(experiment, root))[1:]  # noqa: E731
    monkeypatch.setattr(generate_streams, "specify", fewer)
    with pytest.raises(ValidationFailed, match=r"streams.*streams_planned"):
        runner.run_all(small_config, tmp_path, "wrong")
    assert runs.status(spark, Paths(tmp_path), "wrong") == "failed"
    assert runs.published(spark, Paths(tmp_path), "measurements").count() == 0
    assert tables.read(spark, "measurements", Paths(tmp_path), "wrong").count() > 0
