"""The rule of the regression gate, which judges two runs' results, without any I/O."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.assignment import registry
from algorithms.core.seeds import derive_seed
from algorithms.inference import intervals
from pipeline.reporting.regression.compared_results import MEANS, TIMES, ComparedRun
from pipeline.warehouse.runs.run_results import Key, Results
from schemas.tables.common.differences import EQUAL, INTERVAL, OTHER_STREAMS

LEVEL = 0.95
METRICS = (*MEANS, *TIMES)


class Made(NamedTuple):
    """How a run was made: its root seed, and the version of its code if known."""

    seed: int
    code: str | None


def expected(own: Made, baseline: Made) -> str:
    """What to expect of two runs of the same configuration."""
    if own.seed != baseline.seed:
        return OTHER_STREAMS
    return EQUAL if own.code is not None and own.code == baseline.code else INTERVAL


def compare(own: Results, baseline: Results, made: Made, was: Made) -> list[dict[str, Any]]:
    """Rows of `differences`, without run ids, in the order of display."""
    mine, theirs = ComparedRun(own), ComparedRun(baseline)
    shared = len(mine.values.keys() & theirs.values.keys())
    terms = _Terms(expected(made, was), was.seed, shared, mine, theirs)
    either = mine.values.keys() | theirs.values.keys()
    return [_row(terms, key, metric) for key, metric in sorted(either, key=_place)]


class _Terms(NamedTuple):
    """What a verdict depends on besides two values."""

    expected: str
    seed: int
    comparisons: int
    own: ComparedRun
    baseline: ComparedRun


def place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sort key of rows of `differences`: experiment, δ, algorithm, metric."""
    return _place(((row["experiment"], row["delta"], row["algorithm"]), row["metric"]))


def _place(item: tuple[Key, str]) -> tuple[Any, ...]:
    (experiment, delta, algorithm), metric = item
    at = -math.inf if delta is None else delta
    return experiment, at, registry.sort_key(algorithm), METRICS.index(metric)


def _row(terms: _Terms, key: Key, metric: str) -> dict[str, Any]:
    value = terms.own.values.get((key, metric))
    before = terms.baseline.values.get((key, metric))
    row = dict(zip(("experiment", "delta", "algorithm"), key, strict=True))
    row |= {"metric": metric, "value": value, "baseline_value": before}
    row |= {"low": None, "high": None, "expected": terms.expected}
    if value is None or before is None:
        return row | {"verdict": "gone" if value is None else "new"}
    if value == before:
        return row | {"verdict": "same"}
    low, high = _interval(terms, key, metric)
    has_bounds = not (math.isnan(low) or math.isnan(high))
    within = has_bounds and terms.expected != EQUAL and low <= value <= high
    row |= {"low": low, "high": high} if has_bounds else {}
    return row | {"verdict": "changed" if within else "moved"}


def _interval(terms: _Terms, key: Key, metric: str) -> tuple[float, float]:
    """Interval in which the value was expected; NaN if the baseline does not give one."""
    if terms.expected == OTHER_STREAMS:
        return _of_other_streams(terms, key, metric)
    front = terms.baseline.fronts[key]
    if f"{metric}_low" in front:
        low, high = front[f"{metric}_low"], front[f"{metric}_high"]
        return (math.nan, math.nan) if low is None or high is None else (low, high)
    if metric in TIMES:
        return _ends(intervals.median_interval(terms.baseline.streams(key, metric), LEVEL))
    experiment, delta, algorithm = key
    seed = derive_seed(terms.seed, "interval", experiment, str(delta), algorithm, metric)
    return _ends(intervals.mean_interval(terms.baseline.streams(key, metric), LEVEL, seed))


def _of_other_streams(terms: _Terms, key: Key, metric: str) -> tuple[float, float]:
    """Interval for the value over as many other streams, at a level that holds for all values.

    With hundreds of values per run, some would leave intervals at 95 % each by chance every time.
    """
    level = 1.0 - (1.0 - LEVEL) / terms.comparisons
    if metric in TIMES:
        count = len(terms.own.streams(key, metric))
        seen = terms.baseline.streams(key, metric)
        low, high = _ends(intervals.median_interval(seen, level, count))
        return max(low, 0.0), high
    count = int(terms.own.fronts[key]["replicates"])
    return _ends(intervals.prediction_interval(terms.baseline.streams(key, metric), level, count))


def _ends(interval: intervals.Interval) -> tuple[float, float]:
    return interval.low, interval.high
