"""Trade-offs against a plain reference: means, intervals, fronts and dominance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh
from schemas.tables.autoscaling.trade_offs import AVERAGED
from tests.pipeline.experiments.autoscaling import scaling_cases

pytestmark = pytest.mark.unit

MOST = 60.0


def simulations(replicates: int, seed: int = 1, candidates: int = 6) -> pd.DataFrame:
    """Rows with small integers, so that candidates tie and dominate each other."""
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            {
                **dict.fromkeys(AVERAGED, 1.0),
                "experiment": "e",
                "workload": "w",
                "replicate": replicate,
                "strategy": f"s{i // 2}",
                "setting": "" if i % 2 == 0 else "x=1",
                "sla_percent": 80.0 + 5.0 * generator.integers(0, 5),
                "replica_minutes": 10.0 * generator.integers(1, 5),
                "partitions_moved": int(generator.integers(0, 9)),
                "least_minutes": 8.0,
                "max": 1.0,
            }
            for replicate in range(1, replicates + 1)
            for i in range(candidates)
        ]
    )


def by_candidate(rows: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["strategy"], row["setting"]): row for row in rows}


def dominates(one: Any, other: Any) -> bool:
    """Whether a candidate is at least as good in both, and better in one."""
    service = one["sla_percent"] - other["sla_percent"]
    cost = other["replica_minutes"] - one["replica_minutes"]
    return bool(service >= 0 and cost >= 0 and (service > 0 or cost > 0))


@pytest.mark.parametrize("seed", range(8))
def test_means_front_and_dominance(seed: int) -> None:
    rows = simulations(4, seed)
    weighed = by_candidate(weigh(rows, MOST, 3))
    groups = dict(iter(rows.groupby(["strategy", "setting"])))
    assert list(weighed) == sorted(groups)
    means = {key: group[list(AVERAGED)].mean() for key, group in groups.items()}
    for key, row in weighed.items():
        assert {name: row[name] for name in AVERAGED} == pytest.approx(means[key].to_dict())
        assert row["regret"] == pytest.approx(means[key]["replica_minutes"] / 8.0 - 1.0)
        dominating = [
            other for other in means if other != key and dominates(means[other], means[key])
        ]
        assert row["on_front"] == (not dominating)
        if not dominating:
            assert (row["dominated_by"], row["replicates_dominated"]) == (None, 0)
            continue
        strategy, _, setting = row["dominated_by"].partition(":")
        assert (strategy, setting) in dominating
        times = {other: _times(groups[other], groups[key]) for other in dominating}
        assert row["replicates_dominated"] == times[strategy, setting] == max(times.values())


def _times(one: pd.DataFrame, other: pd.DataFrame) -> int:
    pairs = zip(one.to_dict("records"), other.to_dict("records"), strict=True)
    return sum(dominates(a, b) for a, b in pairs)


def test_an_interval_is_that_of_resampled_means() -> None:
    """Of 30 values: close to the normal approximation, and around the mean."""
    rows = simulations(30)
    for key, row in by_candidate(weigh(rows, MOST, 3)).items():
        own = rows[(rows.strategy == key[0]) & (rows.setting == key[1])]
        for name in AVERAGED:
            error = own[name].std(ddof=0) / math.sqrt(len(own))
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
            width = row[f"{name}_high"] - row[f"{name}_low"]
            assert width == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_the_hypervolume_is_the_area_of_a_strategy_with_all_its_parameters() -> None:
    """By counting cells: replica-minutes are multiples of 10, services of 5 %."""
    rows = simulations(5)
    weighed = by_candidate(weigh(rows, MOST, 3))
    for strategy, own in rows.groupby("strategy"):
        areas = [
            np.mean(
                [
                    bool(((part.replica_minutes <= x) & (part.sla_percent >= y + 5.0)).any())
                    for x in range(0, 60, 10)
                    for y in range(80, 100, 5)
                ]
            )
            for _, part in own.groupby("replicate")
        ]
        for setting in ("", "x=1"):
            assert weighed[strategy, setting]["hypervolume"] == pytest.approx(np.mean(areas))


def test_a_single_stream_has_no_intervals() -> None:
    for row in weigh(simulations(1), MOST, 3):
        assert row["replicates"] == 1
        for name in (*AVERAGED, "regret", "hypervolume"):
            assert row[name] is not None
            assert row[f"{name}_low"] is row[f"{name}_high"] is None


def test_rows_may_come_in_any_order() -> None:
    rows = simulations(6)
    shuffled = rows.sample(frac=1.0, random_state=5)
    assert weigh(shuffled, MOST, 3) == weigh(rows, MOST, 3)
    assert weigh(rows, MOST, 4) != weigh(rows, MOST, 3)


def test_without_events_there_is_no_service_and_the_cheapest_is_on_the_front() -> None:
    rows = simulations(3).assign(sla_percent=math.nan, least_minutes=math.nan)
    weighed = weigh(rows, MOST, 3)
    cheapest = min(row["replica_minutes"] for row in weighed)
    for row in weighed:
        for name in ("sla_percent", "regret", "hypervolume"):
            assert row[name] is row[f"{name}_low"] is row[f"{name}_high"] is None
        assert row["on_front"] == (row["replica_minutes"] == cheapest)


def test_a_bound_that_is_unknown_on_one_stream_gives_no_regret() -> None:
    rows = simulations(3)
    rows.loc[(rows.replicate == 2) & (rows.strategy == "s1"), "least_minutes"] = math.nan
    for row in weigh(rows, MOST, 3):
        assert (row["regret"] is None) == (row["strategy"] == "s1")


def test_the_cases_of_other_tests_have_the_front_that_they_say() -> None:
    rows = scaling_cases.small()["trade_offs"].to_dict("records")
    on_front = {scaling_cases.label(r["strategy"], r["setting"]) for r in rows if r["on_front"]}
    assert on_front == scaling_cases.ON_FRONT


def test_what_cannot_be_chosen_is_on_no_front_and_dominates_nothing() -> None:
    """`optimal` knows the rates; the cheapest one never serves all events of one stream."""
    rows = simulations(2, candidates=2).assign(replica_minutes=20.0, sla_percent=95.0)
    first, second = rows[rows.setting == ""], rows[rows.setting == "x=1"]
    frame = pd.concat(
        [
            first.assign(strategy="optimal", replica_minutes=15.0, sla_percent=100.0),
            first.assign(strategy="linear"),
            second.assign(strategy="linear", replica_minutes=30.0),
            first.assign(strategy="constant", replica_minutes=1.0, sla_percent=2.0).assign(
                max=[1.0, math.inf]
            ),
        ]
    )
    by_key = by_candidate(weigh(frame, MOST, 3))
    shown = {key: (r["eligible"], r["on_front"], r["dominated_by"]) for key, r in by_key.items()}
    assert shown == {
        ("constant", ""): (False, False, None),
        ("linear", ""): (True, True, None),
        ("linear", "x=1"): (True, False, "linear"),
        ("optimal", ""): (False, False, None),
    }
