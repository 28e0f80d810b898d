"""The gate on results of autoscaling: means of trade-offs, and medians of the 99th percentile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.reporting.regression import gate_rule
from pipeline.reporting.regression.gate_rule import Made
from pipeline.warehouse.runs.run_results import Results
from schemas.metric import gated
from schemas.metrics import SCALING
from tests.pipeline.experiments.autoscaling import scaling_cases
from tests.pipeline.experiments.autoscaling.scaling_cases import LABELS

pytestmark = pytest.mark.unit

SAME, OTHER_CODE, OTHER_SEED = Made(1, "abc"), Made(1, "def"), Made(2, "abc")
WAS = Made(1, "abc")
COMPARED = (*gated("mean", SCALING), *gated("median", SCALING))
PLACE = ("diurnal-5", None, "linear")


def changed(results: Results, **values: float) -> Results:
    """The results with other means of `linear` in the first experiment."""
    rows = results["trade_offs"].copy()
    rows.loc[_linear(rows), list(values)] = list(values.values())
    return results.with_tables(trade_offs=rows)


def _linear(rows: pd.DataFrame) -> pd.Series:
    return (
        (rows["experiment"] == PLACE[0]) & (rows["strategy"] == "linear") & (rows["setting"] == "")
    )


def slower(results: Results, factor: float) -> Results:
    """The results with all 99th percentiles of `linear` in the first experiment scaled."""
    rows = results["simulations"].copy()
    rows.loc[_linear(rows), "p99"] *= factor
    return results.with_tables(simulations=rows)


def without_linear(results: Results) -> Results:
    """The results without `linear` in the first experiment."""
    kept = {name: results[name][~_linear(results[name])] for name in ("trade_offs", "simulations")}
    return results.with_tables(**kept)


def judged(own: Results, made: Made, baseline: Results | None = None) -> dict[Any, dict[str, Any]]:
    rows = gate_rule.compare(own, baseline or scaling_cases.small(), made, WAS)
    return {
        ((row["experiment"], row["delta"], row["algorithm"]), row["metric"]): row for row in rows
    }


@pytest.mark.parametrize("made", [SAME, OTHER_CODE, OTHER_SEED])
def test_equal_results_are_the_same(made: Made) -> None:
    rows = judged(scaling_cases.small(), made)
    assert len(rows) == len(scaling_cases.PROFILES) * len(LABELS) * len(COMPARED)
    assert {row["verdict"] for row in rows.values()} == {"same"}
    assert all(row["low"] is None and row["high"] is None for row in rows.values())


@pytest.mark.parametrize("metric", ["sla_percent", "replica_minutes", "partitions_moved"])
def test_a_mean_moves_if_it_leaves_the_baselines_interval(metric: str) -> None:
    small = scaling_cases.small()
    (stored,) = small["trade_offs"][_linear(small["trade_offs"])].to_dict("records")
    low, high = stored[f"{metric}_low"], stored[f"{metric}_high"]
    assert low < stored[metric] < high
    for value, verdict in ((high, "changed"), (high * 1.01, "moved"), (low * 0.99, "moved")):
        rows = judged(changed(small, **{metric: value}), OTHER_CODE)
        row = rows.pop((PLACE, metric))
        assert (row["verdict"], row["low"], row["high"]) == (verdict, low, high)
        assert {other["verdict"] for other in rows.values()} == {"same"}


def test_the_last_bit_counts_where_code_and_seed_are_the_same() -> None:
    small = scaling_cases.small()
    value = small["trade_offs"].loc[_linear(small["trade_offs"]), "sla_percent"].item()
    own = changed(small, sla_percent=math.nextafter(value, 0.0))
    assert judged(own, SAME)[PLACE, "sla_percent"]["verdict"] == "moved"
    assert judged(own, OTHER_CODE)[PLACE, "sla_percent"]["verdict"] == "changed"


def test_of_the_99th_percentile_medians_over_streams_are_compared() -> None:
    """Of four streams, the lower middle value: an infinite one on a single stream moves nothing."""
    small = scaling_cases.small()
    percentiles = np.sort(small["simulations"].loc[_linear(small["simulations"]), "p99"])
    row = judged(small, SAME)[PLACE, "latency_p99"]
    assert row["value"] == percentiles[1]
    never = judged(small, SAME)[(PLACE[0], None, LABELS[-1]), "latency_p99"]
    assert never["value"] == never["baseline_value"] == math.inf
    last = small["simulations"].copy()
    worst = last.loc[_linear(last), "p99"].idxmax()
    last.loc[worst, "p99"] = math.inf
    stays = judged(small.with_tables(simulations=last), SAME)[PLACE, "latency_p99"]
    assert stays["verdict"] == "same"


def test_a_median_that_doubles_has_moved() -> None:
    many = scaling_cases.small(20)
    rows = judged(slower(many, 2.0), OTHER_CODE, many)
    row = rows.pop((PLACE, "latency_p99"))
    assert row["verdict"] == "moved"
    assert row["low"] <= row["baseline_value"] <= row["high"] < row["value"]
    assert {other["verdict"] for other in rows.values()} == {"same"}


def test_other_streams_may_differ_by_the_scatter_of_both_runs() -> None:
    many = scaling_cases.small(20)
    (stored,) = many["trade_offs"][_linear(many["trade_offs"])].to_dict("records")
    beyond = stored["sla_percent_high"] + 0.01
    row = judged(changed(many, sla_percent=beyond), OTHER_SEED, many)[PLACE, "sla_percent"]
    assert (row["expected"], row["verdict"]) == ("other streams", "changed")
    assert row["low"] < stored["sla_percent_low"]
    far = judged(changed(many, sla_percent=50.0), OTHER_SEED, many)[PLACE, "sla_percent"]
    assert far["verdict"] == "moved"


def test_a_strategy_of_one_run_only_is_new_or_gone() -> None:
    small = scaling_cases.small()
    for own, baseline, verdict in (
        (small, without_linear(small), "new"),
        (without_linear(small), small, "gone"),
    ):
        rows = judged(own, OTHER_CODE, baseline)
        of_linear = {metric: row for (place, metric), row in rows.items() if place == PLACE}
        assert list(of_linear) == list(COMPARED)
        assert {row["verdict"] for row in of_linear.values()} == {verdict}
        others = {row["verdict"] for (place, _), row in rows.items() if place != PLACE}
        assert others == {"same"}


def test_a_strategy_without_events_has_no_service_to_compare() -> None:
    small = scaling_cases.small()
    silent = changed(small, sla_percent=math.nan)
    assert judged(silent, SAME)[PLACE, "sla_percent"]["verdict"] == "gone"
    both = judged(silent, SAME, silent)
    assert (PLACE, "sla_percent") not in both
    assert both[PLACE, "replica_minutes"]["verdict"] == "same"


def test_rows_are_by_experiment_strategy_and_metric() -> None:
    small = scaling_cases.small()
    places = list(judged(small, SAME))
    experiments = [experiment for (experiment, _, _), _ in places]
    assert experiments == sorted(experiments)
    of_first = [place for place, _ in places if place[0] == "bursts-5"]
    assert list(dict.fromkeys(label for _, _, label in of_first)) == sorted(LABELS)
    assert [metric for place, metric in places if place == PLACE] == list(COMPARED)
