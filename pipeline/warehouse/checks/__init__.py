"""Validation of a run's rows with Great Expectations, and the record of its outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import schemas
from pipeline.base.errors import ValidationFailed
from pipeline.warehouse.checks import extremes_check, validations_record
from pipeline.warehouse.checks.rows_check import expect
from pipeline.warehouse.checks.run_expectations import ExpectationResult
from pipeline.warehouse.spark import session
from pipeline.warehouse.storage import reader, tables
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext
    from schemas import Table

__all__ = ["ExpectationResult", "check", "validations_record"]

Audit = Callable[["SparkSession", "RunContext", str], "DataFrame"]


def check(spark: SparkSession, ctx: RunContext, table: str, audit: Audit) -> None:
    """Validate the run's rows of ``table`` and keep the outcomes for `validations`.

    audit: Returns the audit frame of a table that is too large to be checked row by row.
    Raises ValidationFailed if an expectation does not hold; its outcomes have been kept.
    """
    contract = schemas.TABLES[table]
    rows = _rows(spark, ctx, table)
    if contract.audit is None:
        with session.for_few_rows(spark, _are_few(ctx)):
            outcomes = _expect(spark, ctx, rows, contract)
    else:
        # Its result has few rows, its input is the whole table.
        outcomes = extremes_check.expect(rows, contract)
        outcomes += _expect(spark, ctx, audit(spark, ctx, table), contract.audit)
    validations_record.keep(ctx, table, outcomes)
    failed = [outcome for outcome in outcomes if not outcome.success]
    if failed:
        raise ValidationFailed(table, [f"{item.rule} ({item.observed})" for item in failed])


def _expect(
    spark: SparkSession, ctx: RunContext, rows: DataFrame, contract: Table
) -> list[ExpectationResult]:
    """Run the contract's suite, its verdicts on single rows computed by Spark beforehand."""
    judged = rows.selectExpr("*", *render.verdicts(contract))
    views = _views(spark, ctx, [name for rule in contract.rules for name in rule.tables])
    return expect(spark, judged, contract, views, few=_are_few(ctx))


def _rows(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """The run's rows of a table, fetched beforehand where they are few."""
    read = reader.frame if _are_few(ctx) and schemas.TABLES[table].audit is None else tables.read
    return read(spark, table, ctx.paths, ctx.run_id)


def _are_few(ctx: RunContext) -> bool:
    return ctx.config.n_scores <= FEW_ROWS


FEW_ROWS = 500_000
"""Rows that are validated in memory; beyond it, Great Expectations queries Spark."""


def _views(spark: SparkSession, ctx: RunContext, names: Sequence[str]) -> dict[str, str]:
    """Temporary views on the same run's rows of other tables, by table."""
    views = {name: f"checked_{name}" for name in set(names)}
    for name, view in views.items():
        _rows(spark, ctx, name).createOrReplaceTempView(view)
    return views
