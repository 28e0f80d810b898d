"""A failed expectation is recorded, names its rule, and keeps the run from being published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import schemas
from pipeline import checks
from pipeline.assignment.stages import generate_streams
from pipeline.checks import extremes_check, rows_check
from pipeline.config.run_config import RunConfig
from pipeline.engine import local, steps
from pipeline.errors import ValidationFailed
from pipeline.paths import Paths
from pipeline.runs.context import RunContext
from pipeline.storage import tables, views
from tests.e2e.run_tables import statuses

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.checks import ExpectationResult

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def begun(
    spark: SparkSession, small_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunContext]:
    """A run that has its assignments."""
    ctx = steps.begin(small_config, tmp_path_factory.mktemp("begun"), "begun", "test")
    for stage in ("generate_streams", "run_algorithms"):
        steps.run_stage(stage, ctx)
    yield ctx
    steps.conclude(ctx, "stopped by a test")


# What is wrong with the assignments of an algorithm, and the rules that only this breaks.
SPOILS = {
    "BFD": (
        "transform(consumers, c -> 0)",  # all on one consumer
        ["within_capacity", "consumers_mismatch", "rscore_mismatch"],
    ),
    "MWF": ("transform(consumers, (c, i) -> if(i = 0, null, c))", ["unassigned"]),
    "NF": ("transform(consumers, c -> c + 1000)", ["consumers_out_of_range"]),
}


def test_spoilt_assignments_are_noticed(spark: SparkSession, begun: RunContext) -> None:
    good = tables.read(spark, "assignments", begun.paths, begun.run_id).localCheckpoint()
    cases = " ".join(
        f"WHEN algorithm = '{algorithm}' AND delta = 25 THEN {expression}"
        for algorithm, (expression, _) in SPOILS.items()
    )
    spoilt = good.selectExpr("* except (consumers)", f"CASE {cases} ELSE consumers END consumers")
    tables.write(spark, spoilt, "assignments", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed) as failure:
            steps.check("assignments", begun)
    finally:
        tables.write(spark, good, "assignments", begun.paths, begun.run_id)
    for rule in (rule for _, rules in SPOILS.values() for rule in rules):
        assert rule in str(failure.value)


def test_a_missing_algorithm_is_noticed(spark: SparkSession, begun: RunContext) -> None:
    good = tables.read(spark, "assignments", begun.paths, begun.run_id).localCheckpoint()
    tables.write(spark, good.where("algorithm <> 'NF'"), "assignments", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed, match="streams_times_algorithms"):
            steps.check("assignments", begun)
    finally:
        tables.write(spark, good, "assignments", begun.paths, begun.run_id)


def test_a_repeated_row_is_noticed(spark: SparkSession, begun: RunContext) -> None:
    good = tables.read(spark, "measurements", begun.paths, begun.run_id).localCheckpoint()
    doubled = good.union(good.where("iteration = 2"))
    tables.write(spark, doubled, "measurements", begun.paths, begun.run_id)
    try:
        with pytest.raises(ValidationFailed, match="iterations_once"):
            steps.check("measurements", begun)
    finally:
        tables.write(spark, good, "measurements", begun.paths, begun.run_id)


def test_what_was_seen_is_recorded(spark: SparkSession, begun: RunContext) -> None:
    steps.check("streams", begun)
    steps.check("assignments", begun)
    checks.validations_record.write(spark, begun)
    seen = tables.read(spark, "validations", begun.paths, begun.run_id)
    seen = seen.where("`table` IN ('streams', 'assignments')")
    assert {row["table"] for row in seen.collect()} == {"streams", "assignments"}
    assert seen.where("NOT success").count() == 0
    assert seen.where("`table` = 'assignments'").count() > 30
    keys = seen.select("table", "rule")
    assert keys.distinct().count() == keys.count()


def test_a_rule_is_judged_alike_in_memory_and_by_spark(
    spark: SparkSession, begun: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row less and one wrong value: the same rules fail in either engine."""
    good = tables.read(spark, "streams", begun.paths, begun.run_id).localCheckpoint()
    spoilt = good.where("replicate = 1").withColumn("n_iterations", F.lit(7))
    tables.write(spark, spoilt, "streams", begun.paths, begun.run_id)
    failures = []
    try:
        for most in (checks.FEW_ROWS, 0):
            monkeypatch.setattr(checks, "FEW_ROWS", most)
            for table in ("streams", "measurements"):
                with pytest.raises(ValidationFailed) as failure:
                    steps.check(table, begun)
                failures.append([text.split(" (")[0] for text in failure.value.rules])
    finally:
        tables.write(spark, good, "streams", begun.paths, begun.run_id)
    assert failures[0] == ["streams_planned"]
    assert "streams_times_iterations" in failures[1]
    assert failures[:2] == failures[2:]


def test_only_few_rows_are_asked_for_as_few(
    spark: SparkSession, begun: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit returns few rows, but reads the whole table."""
    name = "spark.sql.shuffle.partitions"
    own, found = spark.conf.get(name), []
    complete = checks.expect

    def expect(*given: Any, **named: Any) -> list[ExpectationResult]:
        found.append(spark.conf.get(name))
        return complete(*given, **named)

    monkeypatch.setattr(steps, "FEW_IDS", 0)  # else all steps of a run this small are for few
    monkeypatch.setattr(checks, "expect", expect)
    steps.check("streams", begun)
    steps.check("measurements", begun)
    monkeypatch.setattr(checks, "FEW_ROWS", 0)
    steps.check("streams", begun)
    assert found == ["1", own, own] != ["1", "1", "1"]
    assert spark.conf.get(name) == own


def test_all_offending_rows_of_a_rule_are_counted(spark: SparkSession) -> None:
    item = {
        "type": "unexpected_rows_expectation",
        "kwargs": {"unexpected_rows_query": "SELECT id FROM range(1234)"},
        "meta": {"rule": "none", "meaning": "There are none."},
    }
    outcome = rows_check._offending(spark, item)
    assert (outcome.success, outcome.unexpected_count) == (False, 1234)
    assert outcome.observed.startswith("1234 invalid rows, such as id 0; id 1")


def test_no_number_is_not_taken_for_a_missing_one() -> None:
    values = rows_check.in_memory(pa.table({"p50": [1.0, float("nan"), None]}))["p50"]
    assert list(values.isna()) == [False, False, True]
    assert values[1] == float("-inf")


EXTREMES = {
    "a value out of bounds": ("n_consumers", "-1", "n_consumers_bounds"),
    "a value that is missing": ("stream_id", "CAST(NULL AS STRING)", "stream_id_not_null"),
    "no number": ("rscore", "double('NaN')", "rscore_bounds"),
    "infinity": ("rscore", "double('Infinity')", "rscore_bounds"),
}


@pytest.mark.parametrize("case", EXTREMES)
def test_extremes_tell_of_one_bad_value(spark: SparkSession, begun: RunContext, case: str) -> None:
    column, value, rule = EXTREMES[case]
    good = tables.read(spark, "assignments", begun.paths, begun.run_id)
    contract = schemas.TABLES["assignments"]
    assert all(outcome.success for outcome in extremes_check.expect(good, contract))
    one = "algorithm = 'NF' AND iteration = 3 AND delta = 0"
    spoilt = good.withColumn(column, F.expr(f"if({one}, {value}, {column})"))
    seen = extremes_check.expect(spoilt, contract)
    assert [outcome.rule for outcome in seen if not outcome.success] == [rule]


def test_a_table_without_rows_has_no_extremes(spark: SparkSession) -> None:
    """A family may store no steps; whether rows are missing is a rule of the audit frame."""
    contract = schemas.TABLES["trajectories"]
    empty = tables.of_rows(spark, [], "trajectories")
    assert extremes_check.frame(empty, contract).shape == (0, len(contract.columns))
    outcomes = extremes_check.expect(empty, contract)
    assert [outcome.rule for outcome in outcomes if not outcome.success] == []
    assert {"columns", "lag_bounds", "run_id_not_null"} <= {outcome.rule for outcome in outcomes}


def test_a_run_that_fails_validation_is_not_published(
    spark: SparkSession, small_config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = generate_streams.specify
    fewer = lambda experiment, root: list(complete(experiment, root))[1:]  # noqa: E731
    monkeypatch.setattr(generate_streams, "specify", fewer)
    with pytest.raises(ValidationFailed, match=r"streams.*streams_planned"):
        local.run_all(small_config, tmp_path, "wrong")
    assert statuses(tmp_path) == {"wrong": "failed"}
    assert views.published(spark, Paths(tmp_path), "measurements").count() == 0
    assert tables.read(spark, "measurements", Paths(tmp_path), "wrong").count() > 0
