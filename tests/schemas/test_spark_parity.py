"""On Spark, Delta Lake and Great Expectations themselves: the contracts mean what they say."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.warehouse.checks import run_expectations
from pipeline.warehouse.checks.rows_check import QUERY
from schemas import TABLES, Table
from schemas.render import constraints, ddl, expectations, verdicts
from tests.schemas import bounds_rows, neighbours, tiny
from tests.schemas.broken import BREAKS
from tests.schemas.checked import CHECKED
from tests.schemas.row_breaks import Break
from tests.schemas.sqlite_verdicts import is_judged
from tests.schemas.tiny import Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

CONTRACTS = bounds_rows.contracts()
RUN = tiny.run()
LEGAL = [Break(name, "legal", list, set()) for name, table in CONTRACTS.items() if table.rules]
RUNS = sorted([*LEGAL, *BREAKS], key=lambda run: run.table)
BROKEN = 3
"""Neighbours of legal rows that Spark must refuse, for each check."""

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
    from pipeline.warehouse.spark import session

    with session.for_few_rows(spark):
        yield


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> dict[str, str]:
    """Name views on the tiny run, by table."""
    for name, table in TABLES.items():
        frame(spark, table, RUN[name]).createOrReplaceTempView(f"tiny_{name}")
    return {name: f"tiny_{name}" for name in TABLES}


@each_contract
def test_suite_is_valid_and_passes_on_a_legal_run(spark: SparkSession, name: str) -> None:
    """Columns, key and verdicts on rows; the tests below cover values and rules."""
    table = CONTRACTS[name]
    suite = [item for item in expectations(table) if not _is_of_values(item, table)]
    suite = [item for item in suite if item["type"] != QUERY]
    data = frame(spark, table, RUN[name]).selectExpr("*", *verdicts(table))
    results = run_expectations.validate(data, suite, "BOOLEAN_ONLY")
    for item, result in zip(suite, results, strict=True):
        assert not result.exception_info["raised_exception"], result.exception_info
        assert result.success, item


@each_contract
def test_suite_counts_what_is_out_of_bounds(spark: SparkSession, name: str) -> None:
    """One frame with every value at and past a bound: each rule must refuse its own."""
    table = CONTRACTS[name]
    cases = [case for case in bounds_rows.cases(table) if _expected(case, table)]
    rows = [RUN[name][0] | {case.column: case.value} for case in cases]
    # Only rules about one column; checks of rows and keys would see the other columns' cases.
    suite = [item for item in expectations(table) if _is_of_values(item, table)]
    data = frame(spark, table, [*RUN[name], *rows]).selectExpr("*", *verdicts(table))
    seen = unexpected_counts(spark, data, suite)
    refused = Counter(rule for case in cases if not case.legal for rule in _refusing(case, table))
    assert seen == {rule: refused.get(rule, 0) for rule in seen}
    assert set(refused) <= set(seen)


def unexpected_counts(
    spark: SparkSession, data: DataFrame, suite: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Rows that each rule refuses, all counted by Great Expectations in one query.

    A validation that returns counts also fetches values, with a query per rule.
    """
    from great_expectations.execution_engine import SparkDFExecutionEngine
    from great_expectations.expectations.registry import get_expectation_impl
    from great_expectations.validator.metrics_calculator import MetricsCalculator

    engine = SparkDFExecutionEngine(spark=spark, persist=False, batch_data_dict={"rows": data})
    metrics = {}
    for item in suite:
        expectation = get_expectation_impl(item["type"])(**item["kwargs"])
        needed = expectation.get_validation_dependencies(engine, {"result_format": "BOOLEAN_ONLY"})
        name = f"{expectation.map_metric}.unexpected_count"
        metrics[item["meta"]["rule"]] = needed.get_metric_configuration(name)
    calculator = MetricsCalculator(engine, show_progress_bars=False)
    counts, _ = calculator.compute_metrics(list(metrics.values()))
    return {rule: counts[metric.id] for rule, metric in metrics.items()}


def _is_of_values(item: Mapping[str, Any], table: Table) -> bool:
    """Whether an expectation is about the values of one column."""
    return item["meta"]["rule"].removeprefix("audit_") in _column_rules(table)


def _column_rules(table: Table) -> set[str]:
    kinds = ("not_null", "bounds", "allowed", "elements")
    rules = {f"{column.name}_{kind}" for column in table.columns for kind in kinds}
    return rules | {column.name for column in table.columns if table.transient}


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
    """Values out of bounds and rows against a check, each judged by its own constraint.

    Legal rows are judged by all of them.
    """
    conditions, rows = constraints(CONTRACTS[name]), RUN[name]
    judged = [(rows[0] | change, rule, legal) for change, rule, legal in _judged(CONTRACTS[name])]
    data = frame(spark, CONTRACTS[name], [*rows, *(row for row, _, _ in judged)])
    verdicts = data.selectExpr(*(f"{sql} AS {rule}" for rule, sql in conditions.items())).collect()
    assert all(value is True for verdict in verdicts[: len(rows)] for value in verdict)
    for verdict, (row, rule, legal) in zip(verdicts[len(rows) :], judged, strict=True):
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
    for name, changes in CHECKED.get(table.name, {}).items():
        yield from ((change, name, True) for change in changes.legal)
        yield from ((change, name, False) for change in changes.illegal)
    for check in (check for check in table.checks if is_judged(check.sql)):
        broken = neighbours.broken(table, check, RUN[table.name])[:BROKEN]
        yield from ((item.row, check.name, False) for item in broken)


@pytest.mark.parametrize(
    "number", range(len(RUNS)), ids=lambda i: f"{RUNS[i].table}: {RUNS[i].what}"
)
def test_rules_find_what_contradicts(broken_rules: Mapping[int, set[str]], number: int) -> None:
    assert broken_rules[number] == RUNS[number].rules


@pytest.fixture(scope="module")
def broken_rules(spark: SparkSession, views: dict[str, str]) -> Mapping[int, set[str]]:
    """Rules that find offending rows, by number of the run; one query for the runs of a table."""
    rules_by_run: dict[int, set[str]] = defaultdict(set)
    for _, runs in groupby(enumerate(RUNS), key=lambda item: item[1].table):
        asked = [query for number, run in runs for query in _queries(spark, views, number, run)]
        for number, rule in spark.sql(" UNION ALL ".join(asked)).collect():
            rules_by_run[number].add(rule)
    return rules_by_run


def _queries(spark: SparkSession, views: dict[str, str], number: int, run: Break) -> Iterator[str]:
    table, batch = CONTRACTS[run.table], f"run_{number}"
    frame(spark, table, run.change(RUN[run.table])).createOrReplaceTempView(batch)
    for rule in table.rules:
        offending = rule.bound(views).format(batch=batch)
        yield f"SELECT {number} AS number, '{rule.name}' AS rule FROM ({offending})"


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
