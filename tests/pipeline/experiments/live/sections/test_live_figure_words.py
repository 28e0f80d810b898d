"""What a figure of a live run says in words agrees with all rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.live.results.live_study import studies
from pipeline.experiments.live.sections.figures import FIGURES
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.live.live_runs import SPEED_BINS
from tests.pipeline.experiments.live import live_cases
from tests.pipeline.reporting.sections import drawn_charts

pytestmark = [pytest.mark.unit, pytest.mark.slow]

PLANS, SECONDS = 1_234, 2_345

TIMES = {
    "decided_s": "Δt2: decided",
    "created_s": "Δt3: consumers ready",
    "moved_s": "Δt4: partitions moved",
}


@cache
def run() -> Results:
    """The small run on a third stream, with many plans, and batches of its lone consumer."""
    small = live_cases.small()
    agreement = small["live_agreement"].copy()
    third = agreement[agreement["stream_id"].str.endswith("r0001")].copy()
    third["stream_id"] = third["stream_id"].str.replace("r0001", "r0003")
    for column, factor in (("measured", 3.0), ("predicted_a", 0.5), ("predicted_b", 7.0)):
        third[column] = third[column].astype(float) * factor
    rng = np.random.default_rng(8)
    first = small["live_plans"].iloc[[0]]
    plans = pd.concat([first] * PLANS, ignore_index=True).assign(
        plan=np.arange(1, PLANS + 1),
        iteration=1 + np.arange(PLANS) // 5,
        decided_s=rng.uniform(0.001, 0.9, PLANS),
        created_s=np.where(rng.random(PLANS) < 0.3, np.nan, rng.uniform(1.0, 60.0, PLANS)),
        moved_s=np.where(rng.random(PLANS) < 0.6, np.nan, rng.uniform(0.1, 5.0, PLANS)),
    )
    # The first iteration, in which everything is new, does not count.
    plans.loc[plans["iteration"] == 1, ["decided_s", "created_s", "moved_s"]] = 500.0
    second = np.arange(1, SECONDS + 1)
    over_time = pd.concat(
        small["lag_by_second"]
        .iloc[[0]]
        .merge(
            pd.DataFrame(
                {
                    "second": second,
                    "lag": rng.integers(0, 90_000, SECONDS) * (second > 99),
                    "consumers": rng.integers(1, 9, SECONDS),
                }
            ),
            how="cross",
            suffixes=("_of_small", ""),
        )
        .assign(strategy=strategy)
        for strategy in ("kd_1", "MWF")
    )
    counts = rng.integers(0, 40, SPEED_BINS) * (abs(np.arange(SPEED_BINS) - 97) < 9)
    runs = small["live_runs"].copy()
    runs["batch_histogram"] = [list(counts) if n == "kd_1" else None for n in runs["strategy"]]
    return small.with_tables(
        live_agreement=pd.concat([agreement, third], ignore_index=True),
        live_plans=plans,
        live_runs=runs,
        lag_by_second=over_time,
    )


@cache
def drawn() -> dict[str, Figure]:
    """All figures of the run, by name."""
    (study,) = studies(run())
    return {one.name: one for one in drawn_charts.drawn(FIGURES, study) if isinstance(one, Figure)}


Facts = Iterator[str]


def predicted_words() -> Facts:
    """Medians over the three streams."""
    rows = run()["live_agreement"]
    for strategy in ("MWF", "kd_1"):
        part = rows[(rows["strategy"] == strategy) & (rows["quantity"] == "p90")]
        assert len(part) == 3
        measured, by_a, by_b = (
            numbers.seconds(float(np.median(part[column].astype(float))))
            for column in ("measured", "predicted_a", "predicted_b")
        )
        yield f"{strategy}: {measured} on the broker, {by_a} by A, {by_b} by B"


def over_time_words() -> Facts:
    rows = run()["lag_by_second"]
    for strategy in ("MWF", "kd_1"):
        own = rows[rows["strategy"] == strategy]
        assert len(own) == SECONDS
        yield (
            f"{strategy} has between {own['consumers'].min()} and {own['consumers'].max()} "
            f"consumers, and a lag of up to {own['lag'].max():,} records, "
            f"{numbers.count(own['lag'].median())} at the median"
        )


def response_words() -> Facts:
    rows = run()["live_plans"]
    later = rows[rows["iteration"] > 1]
    yield f"Times of {len(later):,} plans after the first iteration."
    for column, name in TIMES.items():
        values = later[column].astype(float).dropna()
        yield (
            f"{name}: median {numbers.seconds(values.median())}, maximum "
            f"{numbers.seconds(values.max())}"
        )


def capacity_words() -> Facts:
    """Speeds of the batches, each in the middle of its bin."""
    rows = run()["live_runs"]
    counts = np.sum([row for row in rows["batch_histogram"] if row is not None], axis=0)
    speeds = np.repeat((np.arange(SPEED_BINS) + 0.5) / 100, counts)
    smoothed = [
        sum(
            weight * counts[place + shift]
            for shift, weight in zip(range(-2, 3), (1, 2, 3, 2, 1), strict=True)
            if 0 <= place + shift < SPEED_BINS
        )
        for place in range(SPEED_BINS)
    ]
    mode = (np.argmax(smoothed) + 0.5) / 100
    middle = np.sort(speeds)[(len(speeds) - 1) // 2]
    yield (
        f"{len(speeds):,} batches; most at {numbers.percent(float(mode))} of C̄, median "
        f"{numbers.percent(float(middle))}."
    )


FACTS: dict[str, Callable[[], Facts]] = {
    "predicted-1": predicted_words,
    "over-time-2": over_time_words,
    "response-3": response_words,
    "capacity-4": capacity_words,
}
"""What the description of a figure must say, from all rows of the tables."""


def test_every_figure_has_its_facts() -> None:
    assert len(FACTS) == len(FIGURES)
    assert set(drawn()) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    facts = list(FACTS[name]())
    assert facts
    for fact in facts:
        assert fact in drawn()[name].alt


def test_predictions_that_are_not_drawn_are_counted() -> None:
    assert "Not drawn" not in drawn()["predicted-1"].caption
    rows = run()["live_agreement"].copy()
    is_p99 = rows["quantity"] == "p99"
    rows.loc[is_p99, "predicted_a"] = np.inf
    (study,) = studies(run().with_tables(live_agreement=rows))
    figure = drawn_charts.drawn(FIGURES, study)[0]
    assert isinstance(figure, Figure)
    assert f"Not drawn: {is_p99.sum()} unbounded predictions." in figure.caption
