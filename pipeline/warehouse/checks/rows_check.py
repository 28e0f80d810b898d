"""Runs a contract's suite on rows, in memory if they are few, else in Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.warehouse.checks.run_expectations import MAX_TEXT, ExpectationResult, Rendered, judge
from pipeline.warehouse.spark import arrow, session
from schemas import render

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from schemas import Table

QUERY = "unexpected_rows_expectation"
BATCH = "checked_rows"
SAMPLE = 3


def expect(
    spark: SparkSession,
    judged: DataFrame,
    contract: Table,
    views: Mapping[str, str],
    *,
    few: bool,
) -> list[ExpectationResult]:
    """Run the contract's suite on rows that carry the verdicts of their checks.

    Few rows are fetched once: a suite on them takes tenths of a second in pandas, and twenty
    Spark jobs otherwise. Rules are SQL and always run in Spark, each as one query. The caller knows
    how expensive the rows are to compute: only queries on the few rows fetched here use the
    settings for few rows.
    """
    rendered = render.expectations(contract, views)
    of_rows = [item for item in rendered if item["type"] != QUERY]
    if few:
        rows = judged.toArrow()
        outcomes = judge(in_memory(rows), of_rows)
        with session.for_few_rows(spark):
            return _with_rules(spark, arrow.frame(spark, rows), rendered, outcomes)
    kept = judged.persist()
    try:
        return _with_rules(spark, kept, rendered, judge(kept, of_rows))
    finally:
        kept.unpersist()


def _with_rules(
    spark: SparkSession,
    rows: DataFrame,
    rendered: Sequence[Rendered],
    of_rows: Iterable[ExpectationResult],
) -> list[ExpectationResult]:
    """Outcomes of all expectations: those given, and those of the rules."""
    rows.createOrReplaceTempView(BATCH)
    outcomes = iter(of_rows)
    return [_offending(spark, i) if i["type"] == QUERY else next(outcomes) for i in rendered]


def in_memory(rows: pa.Table) -> pd.DataFrame:
    """Rows as pandas has them; NaN, which would be a missing value there, becomes -infinity.

    Every bounded column refuses -infinity, as it refuses NaN in Spark's order of numbers.
    """
    columns = [_without_nan(column) for column in rows.columns]
    return pa.table(columns, names=rows.column_names).to_pandas()


def _without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(-np.inf, column.type), column)


def _offending(spark: SparkSession, item: Rendered) -> ExpectationResult:
    """Check a rule by the rows that its query returns: there must be none."""
    query = item["kwargs"]["unexpected_rows_query"].format(batch=BATCH)
    offending = spark.sql(query)
    sample = offending.limit(SAMPLE).toPandas()
    none = {"type": "expect_table_row_count_to_equal", "kwargs": {"value": 0}}
    (outcome,) = judge(sample, [{**none, "meta": item["meta"]}])
    outcome = outcome._replace(expectation=QUERY, expected=query[:MAX_TEXT])
    if outcome.success:
        return outcome
    # Some rows are enough to see that the rule fails; counting all takes another query.
    count = offending.count()
    return outcome._replace(observed=_sample(sample, count), unexpected_count=count)


def _sample(sample: pd.DataFrame, count: int) -> str:
    rows: Sequence[Mapping[str, object]] = sample.to_dict("records")
    shown = "; ".join(", ".join(f"{k} {v}" for k, v in row.items()) for row in rows)
    return f"{count} invalid rows, such as {shown}"[:MAX_TEXT]
