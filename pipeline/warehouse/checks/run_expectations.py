"""Runs Great Expectations on one batch of rows, in any engine."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

MAX_TEXT = 500
Detail = Literal["BOOLEAN_ONLY", "SUMMARY"]
Rendered = Mapping[str, Any]
_TELLING = ("unexpected_count", "partial_unexpected_list", "observed_value", "element_count")


class ExpectationResult(NamedTuple):
    """One expectation and its outcome."""

    rule: str
    expectation: str
    meaning: str
    expected: str
    observed: str
    unexpected_count: int | None
    success: bool


def judge(frame: pd.DataFrame | DataFrame, rendered: Sequence[Rendered]) -> list[ExpectationResult]:
    """Run expectations, as `schemas.render.expectations` gives them, on a batch.

    The first pass requests verdicts only, which takes Great Expectations few queries. Expectations
    that fail are run again for counts and samples.
    """
    verdicts = validate(frame, rendered, "BOOLEAN_ONLY")
    failing = [item for item, result in zip(rendered, verdicts, strict=True) if not result.success]
    details = iter(validate(frame, failing, "SUMMARY") if failing else [])
    return [
        _outcome(item, result if result.success else next(details))
        for item, result in zip(rendered, verdicts, strict=True)
    ]


def validate(
    frame: pd.DataFrame | DataFrame, rendered: Sequence[Rendered], detail: Detail
) -> list[Any]:
    """Results of Great Expectations, in the order of ``rendered``."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    import pandas as pd
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.expectations.registry import get_expectation_impl

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    sources = context.data_sources
    in_memory = isinstance(frame, pd.DataFrame)
    source = sources.add_pandas("rows") if in_memory else sources.add_spark("rows", persist=False)
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


def _outcome(item: Rendered, result: Any) -> ExpectationResult:
    return ExpectationResult(
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
    return f"check failed to run: {problem}" if problem else json.dumps(seen, default=str)


def _exception(info: Rendered) -> str | None:
    """Message of an evaluation that broke; Great Expectations nests it by metric."""
    nested = [part for part in info.values() if isinstance(part, Mapping)]
    messages = [part.get("exception_message") for part in (info, *nested)]
    return next((str(message) for message in messages if message), None)


def _count(result: Any) -> int | None:
    if result.success:
        return 0
    count = result.result.get("unexpected_count", result.result.get("observed_value"))
    return int(count) if isinstance(count, Integral) else None
