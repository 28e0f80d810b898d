"""Changes since the baseline run, ready for the template."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pandas as pd

from algorithms.assignment import registry
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from schemas import metrics
from schemas.metric import Metric

MOVED, CHANGED, NEW, GONE, SAME = VERDICTS = ("moved", "changed", "new", "gone", "same")

MOST = 200
"""Rows per table; the Delta table has all of them."""

_ABSENT = -1.0
"""Stands for no δ in sort keys."""


class Difference(NamedTuple):
    """A metric of an algorithm, here and in the baseline run."""

    where: str
    algorithm: str
    metric: str
    value: str
    baseline: str
    interval: str
    """Interval in which the value was expected, a dash if unknown."""
    change: str
    """By how much, and whether that is better or worse."""
    verdict: str


class Differences(NamedTuple):
    """All differences, the most important first."""

    baseline: str
    """Run id of the baseline; "" where there was none."""
    expected: str
    """What was expected of the values, as in `differences.expected`."""
    tally: dict[str, int]
    """Number of metrics by verdict, those that occur."""
    moved: list[Difference]
    changed: list[Difference]
    apart: list[Difference]
    """`moved`, `changed`, `apart`: differences to review, expected differences, and values that
    only one of the runs has. Equal metrics are in none of them."""
    left_out: int
    """Rows beyond `MOST` of each."""


def differences(results: Results) -> Differences:
    """Comparison with the baseline run, from table `differences`."""
    rows = results["differences"]
    if rows.empty:
        return Differences("", "", {}, [], [], [], 0)
    counts = rows["verdict"].value_counts().to_dict()
    ordered = sorted(rows[rows["verdict"] != SAME].to_dict("records"), key=_place)
    kinds = [
        [row for row in ordered if row["verdict"] in verdicts]
        for verdicts in ((MOVED,), (CHANGED,), (NEW, GONE))
    ]
    moved, changed, apart = ([_difference(row) for row in rows[:MOST]] for rows in kinds)
    return Differences(
        baseline=str(rows["baseline_run_id"].iloc[0]),
        expected=str(rows["expected"].iloc[0]),
        tally={verdict: int(counts[verdict]) for verdict in VERDICTS if verdict in counts},
        moved=moved,
        changed=changed,
        apart=apart,
        left_out=sum(max(len(rows) - MOST, 0) for rows in kinds),
    )


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    delta = _ABSENT if _missing(row["delta"]) else float(row["delta"])
    algorithm = registry.sort_key(str(row["algorithm"]))
    return VERDICTS.index(row["verdict"]), str(row["experiment"]), delta, algorithm


def _difference(row: dict[str, Any]) -> Difference:
    metric = metrics.metric(str(row["metric"]))
    value, baseline = _number(row["value"]), _number(row["baseline_value"])
    here, there = _apart(value, baseline, metric)
    delta = "" if _missing(row["delta"]) else f", δ = {float(row['delta']):g}"
    low, high = _number(row["low"]), _number(row["high"])
    has_bounds = not (math.isnan(low) or math.isnan(high))
    return Difference(
        where=f"{row['experiment']}{delta}",
        algorithm=str(row["algorithm"]),
        metric=metric.short,
        value=here,
        baseline=there,
        interval=f"{numbers.of_metric(metric, low)} to {numbers.of_metric(metric, high)}"
        if has_bounds
        else numbers.MISSING,
        change=_change(value, baseline, metric),
        verdict=str(row["verdict"]),
    )


def _apart(value: float, baseline: float, metric: Metric) -> tuple[str, str]:
    """Both values as text, with all their digits if they would look equal otherwise."""
    here, there = (numbers.of_metric(metric, one) for one in (value, baseline))
    if here != there or value == baseline or math.isnan(value):
        return here, there
    digits = (repr(metric.factor * one) for one in (value, baseline))
    here, there = (numbers.SPACE.join([one, metric.unit]).strip() for one in digits)
    return here, there


def _change(value: float, baseline: float, metric: Metric) -> str:
    """Relative change; only its direction where a ratio is meaningless."""
    if math.isnan(value) or math.isnan(baseline) or value == baseline:
        return numbers.MISSING
    better = "better" if (value < baseline) == (metric.better == "lower") else "worse"
    if baseline == 0 or not (math.isfinite(value) and math.isfinite(baseline)):
        return better
    share = abs(value / baseline - 1)
    words = numbers.percent(share)
    sign = "" if words.startswith("<") else "−" if value < baseline else "+"
    return f"{sign}{words}, {better}"


def _missing(value: Any) -> bool:
    return value is None or bool(pd.isna(value))


def _number(value: Any) -> float:
    return math.nan if _missing(value) else float(value)
