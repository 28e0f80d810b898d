"""Time lags against events one by one, and what follows from standing still."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.autoscaling import time_lags
from algorithms.autoscaling.time_lags import POINTS, Arrivals
from tests.algorithms.autoscaling.plain_time_lag import Topic

pytestmark = pytest.mark.unit


def after(arrivals: Arrivals, time: float, rates: NDArray[np.float64]) -> Arrivals:
    """The state after an observation."""
    time_lags.arrive(arrivals, time, rates, np.zeros(0))
    time_lags.note(arrivals)
    return arrivals


def steady(rate: float, seconds: int, period_s: float = 1.0) -> Arrivals:
    """One partition after a constant rate."""
    arrivals = time_lags.create(1, period_s)
    for k in range(1, round(seconds / period_s) + 1):
        after(arrivals, k * period_s, np.array([rate]))
    return arrivals


@pytest.mark.parametrize("seed", range(40))
def test_ages_are_those_of_events_one_by_one(seed: int) -> None:
    """Observations at irregular times, partitions that pause, and outages of the group."""
    rng = np.random.default_rng(seed)
    partitions = int(rng.integers(1, 5))
    period = int(rng.integers(1, 30))
    topic, arrivals = Topic(partitions), time_lags.create(partitions, float(period))
    behind, stands = 0, False
    for k in range(60):
        seconds = period if k == 0 else int(rng.integers(1, 40))
        events = rng.integers(0, 30, partitions) * (rng.random(partitions) < 0.7)
        topic.passes(seconds, events.tolist())
        stands ^= bool(rng.random() < 0.15)
        topic.reads(([0] * partitions) if stands else rng.integers(0, 40, partitions).tolist())
        after(arrivals, float(topic.now), np.round(events / seconds, 6))
        lags, ages = topic.lags(), topic.ages()
        behind += sum(lag > 0 for lag in lags)
        for p in range(partitions):
            own = time_lags.of_partition(arrivals, p, float(lags[p]))
            assert own == pytest.approx(float(ages[p]), abs=1e-2), (k, p)
        group = time_lags.greatest(arrivals, np.array(lags, np.float64))
        assert group == pytest.approx(float(max(ages)), abs=1e-2)
    assert behind > 20


def test_without_unread_events_it_is_0() -> None:
    assert time_lags.greatest(steady(40.0, 60), np.zeros(1)) == 0.0
    assert time_lags.greatest(time_lags.create(1, 1.0), np.zeros(1)) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_while_a_group_stands_still_it_grows_by_a_second_a_second(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arrivals, lag, lags = time_lags.create(1, 1.0), 25.0, list[float]()
    for k in range(1, POINTS):
        rate = float(rng.choice([0.0, 5.0, 20.0, 73.0])) if k > 10 else 30.0
        after(arrivals, float(k), np.array([rate]))
        if k > 10:
            lag += rate
            lags.append(time_lags.greatest(arrivals, np.array([lag])))
    assert np.diff(lags) == pytest.approx(1.0, abs=1e-4)


def test_more_unread_events_are_never_younger() -> None:
    rng = np.random.default_rng(0)
    arrivals = time_lags.create(1, 1.0)
    for k in range(1, 3 * POINTS):
        after(arrivals, float(k), rng.integers(0, 50, 1).astype(np.float64))
    ages = [time_lags.of_partition(arrivals, 0, lag) for lag in np.linspace(0.0, 9e4, 4_000)]
    assert (np.diff(ages) >= 0.0).all()


def test_ages_of_a_day_are_right_with_few_points() -> None:
    """Rates that rise and fall with the day; most of 2,880 points are dropped."""
    rng, period_s, steps = np.random.default_rng(1), 30.0, 2_880
    wave = np.sin(np.arange(steps) / steps * 2.0 * np.pi)
    rates = np.round(100.0 + 60.0 * wave + rng.uniform(0.0, 9.0, steps))
    arrivals = time_lags.create(1, period_s)
    for k in range(steps):
        after(arrivals, (k + 1) * period_s, rates[k : k + 1])
        assert arrivals.marks[0] <= POINTS
    written = np.concatenate([[0.0], np.cumsum(rates * period_s)])
    for lag in np.linspace(0.001, 0.99, 500) * written[-1]:
        read_s = np.interp(written[-1] - lag, written, np.arange(steps + 1) * period_s)
        age = steps * period_s - read_s
        exact = age < 50.0 * period_s
        own = time_lags.of_partition(arrivals, 0, lag)
        assert own == pytest.approx(age, rel=1e-6 if exact else 2e-3)


def test_events_from_before_the_first_look_are_as_old_as_at_the_mean_rate() -> None:
    """300 s at 40 events/s, and twice as many events unread."""
    assert time_lags.greatest(steady(40.0, 300), np.array([24_000.0])) == pytest.approx(600.0)


def test_where_nothing_arrives_an_old_event_is_as_old_as_the_first_look() -> None:
    assert time_lags.greatest(steady(0.0, 300), np.array([7.0])) == 300.0


def test_the_first_rates_hold_for_a_period_before() -> None:
    first = after(time_lags.create(1, 30.0), 1_000.0, np.array([10.0]))
    assert time_lags.greatest(first, np.array([100.0])) == pytest.approx(10.0)
