"""The rule of the regression gate: what is expected of two runs, and what to call it otherwise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.reporting.regression import gate_rule
from pipeline.reporting.regression.gate_rule import Made
from pipeline.warehouse.runs.run_results import Key, Results
from schemas.metric import gated
from schemas.metrics import METRICS

pytestmark = pytest.mark.unit

ASSIGNED = (*gated("mean", METRICS), *gated("median", METRICS))
KEY: Key = ("tradeoff", 5.0, "MWF")
SAME, OTHER_CODE, OTHER_SEED = Made(1, "abc"), Made(1, "def"), Made(2, "abc")
WAS = Made(1, "abc")
SCORES = {
    "cbs": np.linspace(0.10, 0.14, 20),
    "mean_rscore": np.linspace(3.0, 5.0, 20),
    "mean_consumers": np.linspace(14.0, 16.0, 20),
}
TIMES = {
    "p50": np.linspace(1.0, 3.0, 21),
    "p90": np.linspace(4.0, 6.0, 21),
    "p99": np.full(21, np.inf),
}


def front(**changes: float | None) -> dict[str, Any]:
    """A row of `pareto`."""
    bounds = {"cbs_low": 0.11, "cbs_high": 0.13, "mean_rscore_low": 3.5, "mean_rscore_high": 4.5}
    means = {name: float(values.mean()) for name, values in SCORES.items()}
    return {"replicates": 20, **means, **bounds, **changes}


def found(
    rows: Mapping[Key, Mapping[str, Any]] | None = None,
    times: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
) -> Results:
    """The results of one algorithm, unless more are given."""
    fronts = {KEY: front()} if rows is None else rows
    waits = {KEY: TIMES if times is None else times} if KEY in fronts else {}
    return results(fronts, waits, {KEY: SCORES if scores is None else scores})


def results(
    fronts: Mapping[Key, Mapping[str, Any]],
    waits: Mapping[Key, Mapping[str, Any]],
    scores: Mapping[Key, Mapping[str, Any]],
) -> Results:
    """Rows of `pareto`, and of `latency` and `scores` with a row per stream."""
    keys = ("experiment", "delta", "algorithm")
    tables = {
        "pareto": pd.DataFrame(
            [dict(zip(keys, key, strict=True)) | row for key, row in fronts.items()]
        ),
    }
    for name, streams in (("latency", waits), ("scores", scores)):
        parts = [
            pd.DataFrame(dict(zip(keys, key, strict=True)) | dict(values))
            for key, values in streams.items()
        ]
        tables |= {name: pd.concat(parts)} if parts else {}
    return Results({name: rows for name, rows in tables.items() if len(rows)})


def judged(own: Results, made: Made, baseline: Results | None = None) -> dict[str, dict[str, Any]]:
    """Rows by metric."""
    rows = gate_rule.compare(own, baseline or found(), made, WAS)
    assert [row["metric"] for row in rows] == list(ASSIGNED)
    return {row["metric"]: row for row in rows}


@pytest.mark.parametrize("made", [SAME, OTHER_CODE, OTHER_SEED])
def test_equal_values_are_the_same_whatever_was_expected(made: Made) -> None:
    rows = judged(found(), made)
    assert {row["verdict"] for row in rows.values()} == {"same"}
    assert all(row["low"] is None and row["high"] is None for row in rows.values())
    assert rows["p99"]["value"] == math.inf
    assert rows["p50"]["value"] == 2.0


def test_equal_values_do_not_ask_for_the_scores_of_streams() -> None:
    def fail() -> Any:
        raise AssertionError("read in vain")

    rows = gate_rule.compare(found(), Results({KEY: front()}, {KEY: TIMES}, fail), SAME, WAS)
    assert len(rows) == len(ASSIGNED)


def test_the_last_bit_counts_where_code_and_seed_are_the_same() -> None:
    cbs = math.nextafter(front()["cbs"], 1.0)
    own = found({KEY: front(cbs=cbs)})
    assert judged(own, SAME)["cbs"]["verdict"] == "moved"
    assert judged(own, OTHER_CODE)["cbs"]["verdict"] == "changed"
    assert judged(own, SAME)["cbs"]["expected"] == "equal"


@pytest.mark.parametrize(
    ("own", "was", "expected"),
    [
        (Made(1, "abc"), Made(1, "abc"), "equal"),
        (Made(1, "abc"), Made(1, "def"), "interval"),
        # Code with changes that no commit has is never the same.
        (Made(1, None), Made(1, None), "interval"),
        (Made(1, "abc"), Made(2, "abc"), "other streams"),
    ],
)
def test_what_is_expected(own: Made, was: Made, expected: str) -> None:
    assert gate_rule.expected(own, was) == expected


@pytest.mark.parametrize(
    ("metric", "value", "verdict"),
    [
        ("cbs", 0.11, "changed"),
        ("cbs", 0.13, "changed"),
        ("cbs", 0.1299, "changed"),
        ("cbs", 0.1301, "moved"),
        ("cbs", 0.1099, "moved"),
        ("mean_rscore", 4.5, "changed"),
        ("mean_rscore", 4.6, "moved"),
        ("mean_consumers", 15.1, "changed"),
        ("mean_consumers", 15.4, "moved"),
        ("mean_consumers", 14.5, "moved"),
    ],
)
def test_other_code_may_move_means_within_the_baselines_interval(
    metric: str, value: float, verdict: str
) -> None:
    row = judged(found({KEY: front(**{metric: value})}), OTHER_CODE)[metric]
    assert row["verdict"] == verdict
    assert (row["low"] <= value <= row["high"]) == (verdict == "changed")
    assert row["low"] < row["baseline_value"] < row["high"]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [(np.full(21, 2.2), "changed"), (np.full(21, 2.9), "moved"), (np.full(21, np.inf), "moved"),
     (np.zeros(21), "moved")],
)  # fmt: skip
def test_other_code_may_move_percentiles_within_the_baselines_interval(
    values: np.ndarray, verdict: str
) -> None:
    row = judged(found(times=TIMES | {"p50": values}), OTHER_CODE)["p50"]
    assert row["verdict"] == verdict
    # Of 21 values the 6th and the 16th enclose the median at 95 %.
    assert (row["low"], row["high"]) == pytest.approx((1.5, 2.5))


def test_a_latency_that_was_infinite_and_ends_now_has_moved() -> None:
    row = judged(found(times=TIMES | {"p99": np.full(21, 9.0)}), OTHER_CODE)["p99"]
    assert (row["baseline_value"], row["value"], row["verdict"]) == (math.inf, 9.0, "moved")
    assert (row["low"], row["high"]) == (math.inf, math.inf)


def test_a_single_stream_has_no_interval_so_every_difference_counts() -> None:
    bounds = dict.fromkeys(("cbs_low", "cbs_high", "mean_rscore_low", "mean_rscore_high"))
    single = found(
        {KEY: front(replicates=1, **bounds)},
        {name: values[:1] for name, values in TIMES.items()},
        {name: values[:1] for name, values in SCORES.items()},
    )
    own = found({KEY: front(cbs=0.5, mean_consumers=15.01)}, TIMES | {"p50": np.full(21, 1.1)})
    for made in (OTHER_CODE, OTHER_SEED):
        rows = judged(own, made, single)
        for metric in ("cbs", "mean_consumers", "p50"):
            assert rows[metric]["verdict"] == "moved"
            assert rows[metric]["low"] is rows[metric]["high"] is None


def test_other_streams_may_differ_by_the_scatter_of_both_runs() -> None:
    """Twenty streams against twenty, and six comparisons: wider than the interval of the mean."""
    at_once = judged(found({KEY: front(cbs=0.131, mean_consumers=15.5)}), OTHER_SEED)
    assert at_once["cbs"]["verdict"] == at_once["mean_consumers"]["verdict"] == "changed"
    far = judged(found({KEY: front(cbs=0.15, mean_consumers=17.0)}), OTHER_SEED)
    assert far["cbs"]["verdict"] == far["mean_consumers"]["verdict"] == "moved"
    slow = judged(found(times=TIMES | {"p50": np.full(21, 2.6)}), OTHER_SEED)
    assert slow["p50"]["verdict"] == "changed"
    assert slow["p50"]["high"] >= 2.6
    assert slow["p50"]["expected"] == "other streams"


@pytest.mark.slow
def test_other_streams_hardly_ever_raise_an_alarm() -> None:
    """A new seed moves nothing by chance: 5 % of runs may, however many values are compared."""
    generator = np.random.default_rng(0)
    alarms = 0
    for _ in range(60):
        was, own = (generator.normal(10.0, 1.0, (20, 20)) for _ in range(2))
        alarms += any(
            row["verdict"] == "moved"
            for row in gate_rule.compare(many(own), many(was), OTHER_SEED, WAS)
        )
    assert alarms <= 9  # Of 60, with 5 % each, more than 9 have a probability below 0.1 %.


def many(values: np.ndarray) -> Results:
    """One algorithm at as many δ as there are rows, each with the streams of a row."""
    keys: list[Key] = [("e", float(delta), "MWF") for delta in range(len(values))]
    scores = {key: dict.fromkeys(SCORES, row) for key, row in zip(keys, values, strict=True)}
    fronts = {
        key: front(replicates=len(row), **dict.fromkeys(SCORES, float(row.mean())))
        for key, row in zip(keys, values, strict=True)
    }
    zeros = np.zeros(values.shape[1])
    waits = {
        key: {"p50": zeros, "p90": row, "p99": zeros} for key, row in zip(keys, values, strict=True)
    }
    return results(fronts, waits, scores)


def test_algorithms_of_one_side_only_are_new_or_gone() -> None:
    other: Key = ("tradeoff", 5.0, "BFD")
    rows = gate_rule.compare(found({KEY: front()}), found({other: front()}), SAME, WAS)
    message = {(row["algorithm"], row["verdict"]) for row in rows}
    assert message == {("MWF", "new"), ("BFD", "gone")}
    assert all((row["value"] is None) == (row["verdict"] == "gone") for row in rows)
    assert all((row["baseline_value"] is None) == (row["verdict"] == "new") for row in rows)


def test_rows_are_in_the_order_of_display() -> None:
    keys: list[Key] = [
        ("b", 5.0, "NF"),
        ("a", None, "kd_10"),
        ("a", None, "kd_9"),
        ("b", 0.0, "NF"),
    ]
    rows = gate_rule.compare(results(dict.fromkeys(keys, front()), {}, {}), found({}), SAME, WAS)
    shown = list(dict.fromkeys((r["experiment"], r["delta"], r["algorithm"]) for r in rows))
    assert shown == [("a", None, "kd_9"), ("a", None, "kd_10"), ("b", 0.0, "NF"), ("b", 5.0, "NF")]


def test_a_percentile_that_is_missing_counts_as_0() -> None:
    rows = pd.DataFrame(
        {
            "experiment": ["t", "t", "t"],
            "delta": [None, None, 5.0],
            "algorithm": ["MWF"] * 3,
            "p50": [2.0, None, math.inf],
        }
    )
    streams = Results({"latency": rows}).metric("p50")
    assert {key: values.tolist() for key, values in streams.items()} == {
        ("t", None, "MWF"): [0.0, 2.0],
        ("t", 5.0, "MWF"): [math.inf],
    }
