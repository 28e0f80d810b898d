"""A failed expectation is recorded, names its rule, and keeps the run from being published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import schemas
from pipeline.base.errors import ValidationFailed
from pipeline.engine import local, steps
from pipeline.experiments.assignment.stages import assignment_streams
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse import checks
from pipeline.warehouse.checks import extremes_check, rows_check
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables, views
from pipeline.warehouse.storage.reader import FileSource
from tests.e2e.run_tables import statuses

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.checks import ExpectationResult

pytestmark = pytest.mark.spark


# What is wrong with the assignments of an algorithm, and the rules that only this breaks.
SPOILS = {
    "BFD": (
        "transform(consumers, c -> 0)",  # all on one consumer
        ["within_capacity", "consumers_mismatch", "rscore_mismatch"],
    ),
    "MWF": ("transform(consumers, (c, i) -> if(i = 0, null, c))", ["unassigned"]),
    "NF": ("transform(consumers, c -> c + 1000)", ["consumers_out_of_range"]),
}


def test_spoilt_and_missing_assignments_are_noticed(
    spark: SparkSession, copied: RunContext
) -> None:
    good = tables.read(spark, "assignments", copied.paths, copied.run_id).localCheckpoint()
    cases = " ".join(
        f"WHEN algorithm = '{algorithm}' AND delta = 25 THEN {expression}"
        for algorithm, (expression, _) in SPOILS.items()
    )
    spoilt = good.where("algorithm <> 'kd_2'").selectExpr(
        "* except (consumers)", f"CASE {cases} ELSE consumers END consumers"
    )
    tables.write(spark, spoilt, "assignments", copied.paths, copied.run_id)
    with pytest.raises(ValidationFailed, match="streams_times_algorithms") as failure:
        steps.check("assignments", copied)
    for rule in (rule for _, rules in SPOILS.values() for rule in rules):
        assert rule in str(failure.value)


def test_what_was_seen_is_recorded(spark: SparkSession, copied: RunContext) -> None:
    """Once per rule, although one table has been checked again."""
    steps.check("streams", copied)
    checks.validations_record.write(spark, copied)
    columns = ["table_name", "rule", "success"]
    validations = FileSource(copied.paths).rows("validations", columns, run_id=[copied.run_id])
    seen = validations.to_pandas()
    assert {"streams", "assignments"} <= set(seen["table_name"])
    assert seen["success"].all()
    assert (seen["table_name"] == "assignments").sum() > 30
    assert not seen.duplicated(["table_name", "rule"]).any()


def test_a_rule_is_judged_alike_in_memory_and_by_spark(
    spark: SparkSession, copied: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few streams, a wrong value and a repeated row: the same rules fail in either engine."""
    streams, rows = (
        tables.read(spark, name, copied.paths, copied.run_id).localCheckpoint()
        for name in ("streams", "measurements")
    )
    spoilt = streams.where("replicate = 1").withColumn("n_iterations", F.lit(7))
    tables.write(spark, spoilt, "streams", copied.paths, copied.run_id)
    doubled = rows.union(rows.where("iteration = 2"))
    tables.write(spark, doubled, "measurements", copied.paths, copied.run_id)
    partitions = noted_partitions(spark, monkeypatch)
    failures = []
    for most in (checks.FEW_ROWS, 0):
        monkeypatch.setattr(checks, "FEW_ROWS", most)
        for table in ("streams", "measurements"):
            with pytest.raises(ValidationFailed) as failure:
                steps.check(table, copied)
            failures.append([text.split(" (")[0] for text in failure.value.rules])
    assert failures[0] == ["streams_planned"]
    assert {"streams_times_iterations", "iterations_once"} <= set(failures[1])
    assert failures[:2] == failures[2:]
    # Only few rows are asked for as few. An audit returns few, but reads the whole table.
    own = spark.conf.get(PARTITIONS)
    assert partitions == ["1", own, own, own] != ["1"] * 4


PARTITIONS = "spark.sql.shuffle.partitions"


def noted_partitions(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Settings with which rows are asked for, in the order of the checks from now on."""
    partitions, complete = [], checks.expect

    def expect(*arguments: Any, **named: Any) -> list[ExpectationResult]:
        partitions.append(spark.conf.get(PARTITIONS))
        return complete(*arguments, **named)

    monkeypatch.setattr(steps, "FEW_IDS", 0)  # else all steps of a run this small are for few
    monkeypatch.setattr(checks, "expect", expect)
    return partitions


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
    "nothing": ("rscore", "rscore", []),
    "a value out of bounds": ("n_consumers", "-1", ["n_consumers_bounds"]),
    "a value that is missing": ("stream_id", "CAST(NULL AS STRING)", ["stream_id_not_null"]),
    "no number": ("rscore", "double('NaN')", ["rscore_bounds"]),
    "infinity": ("rscore", "double('Infinity')", ["rscore_bounds"]),
}


@pytest.mark.parametrize("case", EXTREMES)
def test_extremes_tell_of_one_bad_value(
    spark: SparkSession, small_run: RunContext, case: str
) -> None:
    column, value, rules = EXTREMES[case]
    good = tables.read(spark, "assignments", small_run.paths, small_run.run_id)
    one = "algorithm = 'NF' AND iteration = 3 AND delta = 0"
    spoilt = good.withColumn(column, F.expr(f"if({one}, {value}, {column})"))
    seen = extremes_check.expect(spoilt, schemas.TABLES["assignments"])
    assert [outcome.rule for outcome in seen if not outcome.success] == rules


def test_a_table_without_rows_has_no_extremes(spark: SparkSession) -> None:
    """A family may store no steps; whether rows are missing is a rule of the audit frame."""
    contract = schemas.TABLES["trajectories"]
    empty = tables.of_rows(spark, [], "trajectories")
    assert extremes_check.frame(empty, contract).shape == (0, len(contract.columns))
    outcomes = extremes_check.expect(empty, contract)
    assert [outcome.rule for outcome in outcomes if not outcome.success] == []
    assert {"columns", "lag_bounds", "run_id_not_null"} <= {outcome.rule for outcome in outcomes}


def test_a_run_that_fails_validation_is_not_published(
    spark: SparkSession,
    small_config: RunConfig,
    copied: RunContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a warehouse of another run, where its tables exist already."""
    complete, paths = assignment_streams.walks, copied.paths
    fewer = lambda experiment, root: list(complete(experiment, root))[1:]  # noqa: E731
    monkeypatch.setattr(assignment_streams, "walks", fewer)
    with pytest.raises(ValidationFailed, match=r"streams.*streams_planned"):
        local.run_all(small_config, paths.warehouse, "wrong")
    assert statuses(paths.warehouse) == {"small": "published", "wrong": "failed"}
    published = views.published(spark, paths, "measurements")
    assert {row["run_id"] for row in published.select("run_id").distinct().collect()} == {"small"}
    assert tables.read(spark, "measurements", paths, "wrong").count() > 0
