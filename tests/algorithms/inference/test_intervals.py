"""Intervals over replicates, against tables, SciPy and their promised coverage."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference import intervals
from algorithms.inference.intervals import (
    Interval,
    mean_interval,
    median_interval,
    prediction_interval,
)

pytestmark = pytest.mark.unit

INTERVALS: list[Callable[..., Interval]] = [mean_interval, prediction_interval]
VALUES = [11.8, 12.1, 10.9, 11.2, 12.6, 11.9, 11.7, 12.0, 11.1, 11.6]

replicates = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12)


@pytest.mark.parametrize("interval", INTERVALS)
@given(values=replicates)
def test_intervals_hold_their_mean(interval: Callable[..., Interval], values: list[float]) -> None:
    """Also where all values are equal and only rounding would separate them."""
    mean, low, high = interval(values)
    assert low <= mean <= high
    assert mean == pytest.approx(np.mean(values), abs=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
def test_equal_values_have_an_interval_of_no_width(interval: Callable[..., Interval]) -> None:
    """Although the mean of 0.1, 0.1, 0.1 may round to another value."""
    assert interval([0.1] * 3) == pytest.approx((0.1, 0.1, 0.1), abs=1e-15)


@pytest.mark.parametrize("interval", INTERVALS)
def test_one_value_has_no_interval(interval: Callable[..., Interval]) -> None:
    """Nothing is known of its scatter."""
    mean, low, high = interval([3.5])
    assert mean == 3.5
    assert math.isnan(low)
    assert math.isnan(high)


@pytest.mark.parametrize("interval", INTERVALS)
def test_a_higher_level_is_a_wider_interval(interval: Callable[..., Interval]) -> None:
    """50 % within 95 % within 99 %."""
    widths = [
        high - low for _, low, high in (interval(VALUES, level) for level in (0.5, 0.95, 0.99))
    ]
    assert 0.0 < widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize("interval", INTERVALS)
def test_intervals_follow_the_unit(interval: Callable[..., Interval]) -> None:
    """Ends shift and stretch with the values."""
    scaled = interval([3.0 * value + 7.0 for value in VALUES])
    assert scaled == pytest.approx([3.0 * end + 7.0 for end in interval(VALUES)])


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": []}, "at least 1 value"),
        ({"values": [[1.0, 2.0]]}, r"shape \(1, 2\)"),
        ({"values": [1.0, math.nan]}, r"values\[1\] must"),
        ({"values": [math.inf, 1.0]}, r"values\[0\] must"),
        ({"level": 0.0}, "level must .*got 0.0"),
        ({"level": 1.0}, "level must .*got 1.0"),
        ({"level": 95.0}, "95 % as 0.95"),
        ({"level": math.nan}, "level must .*got nan"),
    ],
)
def test_invalid_arguments_are_refused(
    interval: Callable[..., Interval], arguments: dict[str, object], message: str
) -> None:
    """By name, value and limit."""
    with pytest.raises(InvalidParameterError, match=message):
        interval(**{"values": VALUES} | arguments)


def test_seeds_out_of_bounds_are_refused() -> None:
    """Seeds are those of `algorithms.core.seeds`."""
    with pytest.raises(InvalidParameterError, match="seed must"):
        mean_interval(VALUES, seed=-1)


def test_bootstrap_is_that_of_scipy() -> None:
    """Up to the resamples drawn: two runs of SciPy differ as much."""
    ours = mean_interval(VALUES, seed=1)
    theirs = stats.bootstrap(
        (VALUES,), np.mean, method="percentile", n_resamples=9999, rng=np.random.default_rng(2)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.05 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.05 * width)


def test_bootstrap_depends_on_the_seed_alone() -> None:
    """Neither on the order of the replicates nor on what was drawn before."""
    first = mean_interval(VALUES, seed=1)
    assert mean_interval(np.array(VALUES), seed=1) == first
    assert mean_interval(VALUES[::-1], seed=1) == first
    assert mean_interval(VALUES, seed=2) != first


def test_bootstrap_does_not_depend_on_the_size_of_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches bound memory only."""
    whole = mean_interval(VALUES, seed=1)
    monkeypatch.setattr(intervals, "BATCH", 70)
    assert mean_interval(VALUES, seed=1) == whole


def test_bootstrap_of_two_values_is_known() -> None:
    """Means of resamples are 0, 1/2 and 1 with 25, 50 and 25 %: the ends are 0 and 1."""
    assert mean_interval([0.0, 1.0]) == (0.5, 0.0, 1.0)
    assert mean_interval([0.0, 1.0], level=0.4) == (0.5, 0.5, 0.5)


def test_bootstrap_leaves_its_argument_alone() -> None:
    """Values are sorted in a copy."""
    values = np.array(VALUES)
    mean_interval(values)
    assert values.tolist() == VALUES


@pytest.mark.parametrize(
    ("n", "level", "quantile"),
    [(2, 0.95, 12.7062), (3, 0.95, 4.3027), (10, 0.95, 2.2622), (10, 0.99, 3.2498)],
)
def test_prediction_uses_the_table_of_student(n: int, level: float, quantile: float) -> None:
    """Printed quantiles of the t distribution."""
    values = np.arange(n, dtype=np.float64)
    mean, low, high = prediction_interval(values, level)
    reach = quantile * values.std(ddof=1) * math.sqrt(1 + 1 / n)
    assert (mean - low, high - mean) == pytest.approx((reach, reach), rel=1e-4)


def test_prediction_is_wider_than_the_mean_is_uncertain() -> None:
    """A further stream scatters by itself."""
    of_mean, of_one = mean_interval(VALUES), prediction_interval(VALUES)
    assert of_one.low < of_mean.low < of_mean.high < of_one.high


def test_prediction_holds_one_further_value_as_often_as_promised() -> None:
    """95 % of 4000 draws of ten values and an eleventh."""
    draws = np.random.default_rng(11).normal(100.0, 15.0, (4000, 11))
    inside = 0
    for row in draws:
        _, low, high = prediction_interval(row[:10])
        inside += low <= row[10] <= high
    assert inside / len(draws) == pytest.approx(0.95, abs=0.012)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "coverage"), [(10, 0.904), (40, 0.940)])
def test_bootstrap_holds_the_true_mean_as_often_as_stated(
    monkeypatch: pytest.MonkeyPatch, n: int, coverage: float
) -> None:
    """Less than 95 % for few normal values: P(abs(t) < 1.96 sqrt(1 - 1/n)), n - 1 degrees.

    The tolerance is four standard errors of 3000 draws.
    """
    monkeypatch.setattr(intervals, "RESAMPLES", 999)
    draws = np.random.default_rng(12).normal(0.0, 1.0, (3000, n))
    inside = 0
    for seed, row in enumerate(draws):
        _, low, high = mean_interval(row, seed=seed)
        inside += low <= 0.0 <= high
    tolerance = 4 * math.sqrt(coverage * (1 - coverage) / len(draws))
    assert inside / len(draws) == pytest.approx(coverage, abs=tolerance)


def further(values: list[float]) -> Interval:
    return median_interval(values, count=len(values))


@given(st.lists(st.floats(0, allow_nan=False), min_size=1, max_size=9))
def test_a_median_is_the_lower_of_two_in_the_middle(values: list[float]) -> None:
    assert intervals.median(values) == sorted(values)[math.ceil(len(values) / 2) - 1]
    assert intervals.median(values) == np.percentile(values, 50, method="inverted_cdf")


@pytest.mark.parametrize("interval", [median_interval, further])
@given(values=st.lists(st.floats(-1e6, math.inf), min_size=2, max_size=40))
def test_median_intervals_hold_their_median(
    interval: Callable[..., Interval], values: list[float]
) -> None:
    median, low, high = interval(values)
    assert median in values
    assert low <= median <= high
    assert sum(v < median for v in values) <= len(values) / 2
    assert sum(v > median for v in values) <= len(values) / 2


@pytest.mark.parametrize(
    ("n", "rank"), [(2, 1), (5, 1), (6, 1), (9, 2), (10, 2), (20, 6), (40, 14), (100, 40)]
)
def test_median_intervals_have_the_ranks_of_the_tables(n: int, rank: int) -> None:
    """Conover, Practical Nonparametric Statistics, and the binomial distribution itself."""
    _, low, high = median_interval(np.arange(1.0, n + 1))
    assert (low, high) == (rank, n + 1 - rank)
    if n >= 6:
        assert 2 * stats.binom.cdf(rank - 1, n, 0.5) <= 0.05
        assert 2 * stats.binom.cdf(rank, n, 0.5) > 0.05


def test_the_median_of_further_values_falls_into_its_interval() -> None:
    """In 95 of 100 cases, also of a distribution with a long tail and infinite values."""
    generator = np.random.default_rng(5)
    drawn = generator.pareto(0.5, (2, 2000, 30))
    drawn[drawn > 100.0] = np.inf
    inside = 0
    for seen, other in zip(*drawn, strict=True):
        _, low, high = median_interval(seen, count=30)
        inside += bool(low <= intervals.median(other) <= high)
    assert 0.945 <= inside / 2000 <= 0.985


def test_the_mean_of_further_values_falls_into_its_interval() -> None:
    generator = np.random.default_rng(6)
    seen, other = generator.normal(3.0, 2.0, (2, 3000, 8))
    inside = 0
    for values, mean in zip(seen, other[:, :5].mean(axis=1), strict=True):
        _, low, high = prediction_interval(values, count=5)
        inside += bool(low <= mean <= high)
    assert inside / 3000 == pytest.approx(0.95, abs=0.012)


def test_too_few_values_say_nothing_of_further_ones() -> None:
    assert median_interval([1.0, 2.0], level=0.9999, count=2) == (1.0, -math.inf, math.inf)


@pytest.mark.parametrize("values", [[1.0, math.nan], [1.0, -math.inf], []])
def test_a_median_needs_numbers(values: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="values"):
        median_interval(values)


@pytest.mark.parametrize("interval", [median_interval, prediction_interval])
def test_further_values_are_counted(interval: Callable[..., Interval]) -> None:
    with pytest.raises(InvalidParameterError, match="count must"):
        interval(VALUES, count=0)
