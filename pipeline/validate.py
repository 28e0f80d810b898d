"""Validation of a run's rows with Great Expectations, and the record of what was seen."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import schemas
from pipeline import audit, tables
from pipeline.context import RunContext, now
from pipeline.errors import ValidationFailed
from schemas import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from schemas import Table

MAX_TEXT = 500
Detail = Literal["BOOLEAN_ONLY", "SUMMARY"]


class Outcome(NamedTuple):
    """One expectation and what was seen of it."""

    rule: str
    expectation: str
    meaning: str
    expected: str
    observed: str
    unexpected_count: int | None
    success: bool


def check(spark: SparkSession, ctx: RunContext, table: str) -> None:
    """Validate the run's rows of ``table`` and write them to `validations`.

    Raises
    ------
    ValidationFailed
        If an expectation does not hold; its outcomes have been written.
    """
    contract = schemas.TABLES[table]
    rows = tables.read(spark, table, ctx.paths, ctx.run_id)
    with _views(spark, ctx, contract) as views:
        if contract.audit is None:
            with _in_memory(_judged(rows.coalesce(1), contract)) as small:
                outcomes = expect(small, contract, views)
        else:
            outcomes = expect(_judged(rows, contract), contract, views)
            counted = _judged(audit.frame(spark, ctx, table), contract.audit)
            with _in_memory(counted) as kept:
                outcomes += expect(kept, contract.audit, views)
    _record(spark, ctx, table, outcomes)
    failed = [outcome for outcome in outcomes if not outcome.success]
    if failed:
        raise ValidationFailed(table, [f"{item.rule} ({item.observed})" for item in failed])


def _judged(frame: DataFrame, contract: Table) -> DataFrame:
    """The frame with a column per check of single rows, as the contract's suite expects it."""
    return frame.selectExpr("*", *render.verdicts(contract))


def expect(frame: DataFrame, contract: Table, views: Mapping[str, str]) -> list[Outcome]:
    """Run the contract's suite on a frame that `_judged` has prepared.

    The first pass asks for verdicts alone, which Great Expectations answers in few Spark
    jobs; only what failed is asked again for counts and samples.
    """
    rendered = render.expectations(contract, views)
    verdicts = _validate(frame, rendered, "BOOLEAN_ONLY")
    failing = [item for item, result in zip(rendered, verdicts, strict=True) if not result.success]
    details = iter(_validate(frame, failing, "SUMMARY") if failing else [])
    return [
        _outcome(item, result if result.success else next(details))
        for item, result in zip(rendered, verdicts, strict=True)
    ]


def _validate(frame: DataFrame, rendered: Sequence[dict[str, Any]], detail: Detail) -> list[Any]:
    """Results in the order of ``rendered``."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.expectations.registry import get_expectation_impl

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    source = context.data_sources.add_spark("spark", persist=False)
    batch = (
        source.add_dataframe_asset("rows")
        .add_batch_definition_whole_dataframe("all")
        .get_batch(batch_parameters={"dataframe": frame})
    )
    expectations = [
        get_expectation_impl(item["type"])(**item["kwargs"], meta={"position": place})
        for place, item in enumerate(rendered)
    ]
    suite = gx.ExpectationSuite("suite", expectations=expectations)
    results = batch.validate(suite, result_format=detail).results
    return sorted(results, key=lambda result: result.expectation_config.meta["position"])


def _outcome(item: Mapping[str, Any], result: Any) -> Outcome:
    return Outcome(
        rule=item["meta"]["rule"],
        expectation=item["type"],
        meaning=item["meta"]["meaning"],
        expected=json.dumps(item["kwargs"], default=str)[:MAX_TEXT],
        observed=_observed(result)[:MAX_TEXT],
        unexpected_count=_count(result),
        success=bool(result.success),
    )


def _observed(result: Any) -> str:
    if result.success:
        return "as expected"
    problem = _exception(result.exception_info or {})
    seen = {name: result.result[name] for name in _TELLING if name in result.result}
    return f"could not be evaluated: {problem}" if problem else json.dumps(seen, default=str)


def _exception(info: Mapping[str, Any]) -> str | None:
    """Message of an evaluation that broke; Great Expectations nests it by metric."""
    nested = [part for part in info.values() if isinstance(part, Mapping)]
    messages = [part.get("exception_message") for part in (info, *nested)]
    return next((str(message) for message in messages if message), None)


_TELLING = ("unexpected_count", "partial_unexpected_list", "observed_value", "element_count")


def _count(result: Any) -> int | None:
    if result.success:
        return 0
    count = result.result.get("unexpected_count", result.result.get("observed_value"))
    return int(count) if isinstance(count, int) else None


@contextmanager
def _views(spark: SparkSession, ctx: RunContext, contract: Table) -> Iterator[dict[str, str]]:
    """Temporary views on the same run's rows of the tables that the contract's rules read."""
    suites = [contract] + ([contract.audit] if contract.audit else [])
    names = {name for suite in suites for rule in suite.rules for name in rule.tables}
    with ExitStack() as stack:
        for name in names:
            rows = tables.read(spark, name, ctx.paths, ctx.run_id)
            stack.enter_context(_in_memory(rows.coalesce(1))).createOrReplaceTempView(
                f"checked_{name}"
            )
        yield {name: f"checked_{name}" for name in names}


@contextmanager
def _in_memory(frame: DataFrame) -> Iterator[DataFrame]:
    """A frame of few rows, computed once however many expectations read it."""
    kept = frame.persist()
    try:
        kept.count()
        yield kept
    finally:
        kept.unpersist()


def _record(spark: SparkSession, ctx: RunContext, table: str, outcomes: Sequence[Outcome]) -> None:
    shared = {"run_id": ctx.run_id, "table": table, "checked_at": now()}
    rows = [shared | outcome._asdict() for outcome in outcomes]
    frame = spark.createDataFrame(rows, tables.struct("validations"))
    tables.write(
        spark, frame.coalesce(1), "validations", ctx.paths, ctx.run_id, also={"table": table}
    )
