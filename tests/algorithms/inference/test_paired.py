"""Pairs of algorithms on the same streams."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.intervals import RESAMPLES, mean_interval
from algorithms.inference.paired import compare, holm, paired_interval, resampled_means
from algorithms.inference.signed_rank import signed_rank

pytestmark = pytest.mark.unit

probabilities = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0, math.nan]), max_size=12
)


def matrix(n: int = 20, k: int = 4) -> np.ndarray:
    """Algorithms that share their stream's noise, the second one 0.1 above the first."""
    rng = np.random.default_rng(n * k)
    values = rng.normal(0.0, 1.0, (n, 1)) + rng.normal(0.0, 0.01, (n, k))
    values[:, 1] = values[:, 0] + 0.1
    return values


def test_every_pair_once_with_its_own_test() -> None:
    values = matrix()
    comparison = compare(values, resampled_means(values, 1))
    pairs = list(zip(comparison.first.tolist(), comparison.second.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for i, (a, b) in enumerate(pairs):
        apart = values[:, a] - values[:, b]
        assert comparison.difference[i] == pytest.approx(apart.mean(), abs=1e-12)
        assert (comparison.statistic[i], comparison.p[i]) == signed_rank(apart)
    assert comparison.p_holm.tolist() == holm(comparison.p).tolist()


def test_intervals_are_paired() -> None:
    """The noise that both share is not in them: they are those of the differences alone."""
    values = matrix()
    comparison = compare(values, resampled_means(values, 1))
    alone = mean_interval(values[:, 2] - values[:, 3], seed=1)
    assert (comparison.low[5], comparison.high[5]) == pytest.approx(
        (alone.low, alone.high), abs=5e-4
    )
    apart = comparison.high - comparison.low
    assert apart[0] == pytest.approx(0.0, abs=1e-12)
    assert (apart < 0.02).all()
    assert (comparison.low <= comparison.difference).all()
    assert (comparison.difference <= comparison.high).all()


def test_the_same_seed_takes_the_same_streams_for_other_columns() -> None:
    values = matrix()
    whole, part = resampled_means(values, 3), resampled_means(values[:, :2], 3)
    assert whole.shape == (RESAMPLES, 4)
    assert np.array_equal(whole[:, :2], part)
    assert not np.array_equal(whole[:, :2], resampled_means(values[:, :2], 4))


def test_a_resample_of_many_replicates_is_made_in_batches() -> None:
    values = np.random.default_rng(1).normal(5.0, 1.0, (300, 2))
    means = resampled_means(values, 1)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / math.sqrt(300), rel=0.05)


def test_one_replicate_says_nothing_of_scatter() -> None:
    values = matrix(n=1)
    comparison = compare(values, resampled_means(values, 1))
    assert comparison.difference[0] == pytest.approx(-0.1)
    for column in comparison[3:]:
        assert np.isnan(column).all()


def test_equal_algorithms_are_not_tested_and_do_not_count_as_tests() -> None:
    values = np.repeat(matrix(k=2)[:, :1], 3, axis=1)
    values[:, 2] += 1.0
    comparison = compare(values, resampled_means(values, 1))
    assert (comparison.difference[0], comparison.low[0], comparison.high[0]) == (0.0, 0.0, 0.0)
    assert math.isnan(comparison.p[0])
    assert comparison.p_holm[1] == 2 * comparison.p[1]


def test_an_interval_holds_its_difference() -> None:
    assert paired_interval(np.array([0.1] * 99), 0.2) == (0.2, 0.1, 0.2)
    assert math.isnan(paired_interval(np.array([math.nan]), 0.2).low)


def test_holm_by_hand() -> None:
    """Holm's own scheme: 4 × 0.005, 3 × 0.01, 2 × 0.03, and 0.04 not below its predecessor."""
    adjusted = holm([0.01, 0.04, 0.03, 0.005, math.nan])
    assert adjusted.tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02, math.nan], nan_ok=True)


@given(probabilities)
def test_holm_keeps_order_and_lies_between_no_correction_and_bonferroni(p: list[float]) -> None:
    given_p, adjusted = np.array(p), holm(p)
    tested = ~np.isnan(given_p)
    assert np.isnan(adjusted[~tested]).all()
    assert (adjusted[tested] >= given_p[tested]).all()
    assert (adjusted[tested] <= np.minimum(1.0, given_p[tested] * tested.sum()) + 1e-12).all()
    order = np.argsort(given_p[tested], kind="stable")
    assert (np.diff(adjusted[tested][order]) >= 0).all()
    # Rejected at 5 %: those that come, smallest first, before one is above 0.05 / (tests left).
    rejected, left = 0, int(tested.sum())
    for value in given_p[tested][order]:
        if value * (left - rejected) > 0.05:
            break
        rejected += 1
    assert int((adjusted[tested] <= 0.05).sum()) == rejected


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros((0, 2)), r"values must .*\(0, 2\)"),
        (np.zeros(3), r"values must .*\(3,\)"),
        (np.array([[1.0, math.nan]]), r"values\[0, 1\] must be finite"),
    ],
)
def test_what_is_no_matrix_of_replicates(values: np.ndarray, said: str) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        resampled_means(values, 0)
    with pytest.raises(InvalidParameterError, match=said):
        compare(values, np.zeros((1, 2)))


def test_means_of_other_algorithms_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"means must .*\(9, 3\)"):
        compare(np.zeros((2, 2)), np.zeros((9, 3)))


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [[0.5]]])
def test_what_is_no_list_of_probabilities(wrong: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="p must"):
        holm(wrong)
