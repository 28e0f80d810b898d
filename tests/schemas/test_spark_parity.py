"""On Spark, Delta Lake and Great Expectations themselves: the contracts mean what they say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.checks import run_expectations
from schemas import TABLES, Table
from schemas.render import constraints, ddl, expectations, struct_json, verdicts
from tests.schemas import bounds_rows, tiny
from tests.schemas.broken import BREAKS, Break
from tests.schemas.checked import CHANGES
from tests.schemas.tiny import Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

CONTRACTS = bounds_rows.contracts()
RUN = tiny.run()
each_contract = pytest.mark.parametrize("name", CONTRACTS)


def frame(spark: SparkSession, table: Table, rows: Sequence[Row]) -> DataFrame:
    """Rows with the types of the contract, any of them null if need be."""
    import pyarrow as pa

    kinds = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "double": pa.float64(),
        "boolean": pa.bool_(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    elements = {column.name: kinds[column.element_type] for column in table.columns}
    types = {
        column.name: pa.list_(elements[column.name]) if column.is_array else elements[column.name]
        for column in table.columns
    }
    # Through Arrow, so little data becomes part of the query's plan: no job has to fetch it.
    return spark.createDataFrame(pa.Table.from_pylist(list(rows), schema=pa.schema(types)))


@pytest.fixture(scope="module", autouse=True)
def few_rows(spark: SparkSession) -> Iterator[None]:
    """Queries are interpreted, as the pipeline has it for tables with few rows."""
    from pipeline.spark import session

    with session.for_few_rows(spark):
        yield


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> dict[str, str]:
    """Name views on the tiny run, by table."""
    for name, table in TABLES.items():
        frame(spark, table, RUN[name]).createOrReplaceTempView(f"tiny_{name}")
    return {name: f"tiny_{name}" for name in TABLES}


def validate(
    data: DataFrame,
    suite: Sequence[dict[str, Any]],
    detail: run_expectations.Detail = "BOOLEAN_ONLY",
) -> dict[str, Any]:
    """Results of Great Expectations by rule."""
    results = run_expectations.validate(data, suite, detail)
    for result in results:
        assert not result.exception_info["raised_exception"], result.exception_info
    return {item["meta"]["rule"]: result for item, result in zip(suite, results, strict=True)}


@each_contract
def test_suite_is_valid_and_passes_on_a_legal_run(
    spark: SparkSession, views: dict[str, str], name: str
) -> None:
    suite = expectations(CONTRACTS[name], views)
    data = frame(spark, CONTRACTS[name], RUN[name])
    results = validate(data.selectExpr("*", *verdicts(CONTRACTS[name])), suite)
    assert len(results) == len(suite)
    assert [rule for rule, result in results.items() if not result.success] == []


@each_contract
def test_suite_counts_what_is_out_of_bounds(spark: SparkSession, name: str) -> None:
    """One frame with every value at and past a bound: each rule must refuse its own."""
    table = CONTRACTS[name]
    cases = [case for case in bounds_rows.cases(table) if _expected(case, table)]
    rows = [RUN[name][0] | {case.column: case.value} for case in cases]
    # Those about one column; checks of rows and keys would see the other columns' cases.
    column_rules = {f"{prefix}{rule}" for rule in _column_rules(table) for prefix in ("", "audit_")}
    suite = [item for item in expectations(table) if item["meta"]["rule"] in column_rules]
    data = frame(spark, table, rows).selectExpr("*", *verdicts(table))
    seen = {
        rule: result.result["unexpected_count"]
        for rule, result in validate(data, suite, "SUMMARY").items()
    }
    refused = Counter(rule for case in cases if not case.legal for rule in _refusing(case, table))
    assert seen == {rule: refused.get(rule, 0) for rule in seen}
    assert set(refused) <= set(seen)


def _column_rules(table: Table) -> Iterator[str]:
    for column in table.columns:
        yield from (f"{column.name}_{kind}" for kind in ("not_null", "bounds", "allowed"))
        yield f"{column.name}_elements"
        if table.transient:
            yield column.name


def _expected(case: bounds_rows.Case, table: Table) -> bool:
    """Whether the suite looks at the column: not at arrays of large tables."""
    return table.audit is None or not table.column(case.column).is_array


def _refusing(case: bounds_rows.Case, table: Table) -> list[str]:
    """Name the rules that refuse an illegal value."""
    column = table.column(case.column)
    if case.value is None:
        missing = f"{'audit_' if table.transient else ''}{case.column}_not_null"
        # An array that is not there has no legal elements either.
        return [missing, f"{case.column}_elements"] if column.is_array else [missing]
    if column.is_array:
        return [f"{case.column}_elements"]
    if column.allowed:
        return [f"{case.column}_allowed"]
    return [case.column if table.transient else f"{case.column}_bounds"]


@each_contract
def test_constraints_on_spark(spark: SparkSession, name: str) -> None:
    """Values out of bounds and rows against a check, each judged by its own constraint."""
    conditions = constraints(CONTRACTS[name])
    judged = [
        (RUN[name][0] | change, rule, legal) for change, rule, legal in _judged(CONTRACTS[name])
    ]
    data = frame(spark, CONTRACTS[name], [row for row, _, _ in judged])
    names = sorted({rule for _, rule, _ in judged})
    verdicts = data.selectExpr(*(f"{conditions[rule]} AS {rule}" for rule in names)).collect()
    for verdict, (row, rule, legal) in zip(verdicts, judged, strict=True):
        # Delta takes null for a violation, so a legal row must be judged true, not null.
        assert (verdict[rule] is True) == legal, (rule, row)


def _judged(table: Table) -> Iterator[tuple[dict[str, Any], str, bool]]:
    """List changes to a legal row, the constraint that must judge each, and its verdict."""
    conditions = constraints(table)
    for case in bounds_rows.cases(table):
        for kind in ("bounds", "allowed", "elements"):
            rule = f"{case.column}_{kind}"
            if rule in conditions and (case.legal or case.value is not None):
                yield {case.column: case.value}, rule, case.legal
    for check, changes in CHANGES.get(table.name, {}).items():
        yield from ((change, check, True) for change in changes.legal)
        yield from ((change, check, False) for change in changes.illegal)


@pytest.mark.parametrize("broken", BREAKS, ids=lambda item: f"{item.table}: {item.what}")
def test_rules_find_what_contradicts(
    spark: SparkSession, views: dict[str, str], broken: Break
) -> None:
    table = CONTRACTS[broken.table]
    frame(spark, table, broken.change(RUN[broken.table])).createOrReplaceTempView("broken")
    found = {
        rule.name
        for rule in table.rules
        if spark.sql(rule.bound(views).format(batch="broken")).take(1)
    }
    assert found == broken.rules


def test_every_rule_is_broken_once() -> None:
    rules = {item.name for table in CONTRACTS.values() for item in table.conditions}
    checks = {check.name for table in CONTRACTS.values() for check in table.checks}
    assert set().union(*(broken.rules for broken in BREAKS)) == rules - checks


def test_streams_of_a_trace_run(spark: SparkSession) -> None:
    """Traces have neither delta nor initial rate; there must be as many as were given."""
    config = json.dumps(
        {
            "experiments": [{"name": "tiny", "deltas": [], "initial_rates": [], "replicates": 1}],
            "traces": [{"stream_id": "trace-a"}, {"stream_id": "trace-b"}],
        }
    )
    asked = [RUN["runs"][0] | {"config": config}]
    frame(spark, TABLES["runs"], asked).createOrReplaceTempView("traced_runs")
    generated = [row for row in RUN["streams"] if row["experiment"] == "tiny"]
    traced = [row | {"delta": None, "initial_rate": None} for row in generated]
    (rule,) = TABLES["streams"].rules
    for rows, n_offending in ((traced, 0), (traced[:1], 1), (generated, 4)):
        frame(spark, TABLES["streams"], rows).createOrReplaceTempView("traced")
        query = rule.bound({"runs": "traced_runs"}).format(batch="traced")
        assert spark.sql(query).count() == n_offending


@pytest.mark.parametrize("name", TABLES)
def test_delta_takes_the_ddl_and_the_legal_rows(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    from pyspark.sql.types import StructType

    table, path = TABLES[name], str(tmp_path / name)
    spark.sql(ddl(table, f"delta.`{path}`"))
    frame(spark, table, RUN[name]).write.format("delta").mode("append").save(path)
    stored = spark.read.format("delta").load(path)
    assert stored.schema.jsonValue() == StructType.fromJson(struct_json(table)).jsonValue()
    assert stored.count() == len(RUN[name])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"delta": 100.00000000000001}, "CHECK constraint delta_bounds"),
        ({"partitions": ["0", None]}, "CHECK constraint partitions_elements"),
        ({"run_id": None}, "NOT NULL constraint violated for column: run_id"),
    ],
    ids=["bound", "element", "null"],
)
def test_delta_refuses_the_write_of_an_illegal_row(
    spark: SparkSession, tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    from py4j.protocol import Py4JJavaError

    table, path = TABLES["streams"], str(tmp_path / "streams")
    legal = RUN["streams"][0]
    spark.sql(ddl(table, f"delta.`{path}`"))
    refused = frame(spark, table, [legal, legal | change])
    with pytest.raises(Py4JJavaError, match=problem):
        refused.write.format("delta").mode("append").save(path)
    assert spark.read.format("delta").load(path).count() == 0
