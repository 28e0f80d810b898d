"""Order statistics and percentiles of progressions, against sorted enumerations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.histograms import histogram
from algorithms.scores.percentiles import order_statistic, percentiles
from tests.algorithms.scores.unions import Union, unions
from tests.naive_latency import percentile

pytestmark = pytest.mark.unit

EDGES = np.array([0.0, 0.1, 1.0, 4.0, 10.0, 1e4, np.inf])
ALL = np.array([0.0, np.inf])
PERCENTS = (0.0, 1.0, 37.5, 50.0, 90.0, 99.0, 99.99, 100.0)


@given(unions(longest=15))
def test_every_rank_is_that_of_the_sorted_samples(union: Union) -> None:
    """Equal, plateaus and infinite samples included."""
    progressions, samples = union.progressions(), union.samples()
    ordered = [order_statistic(progressions, rank) for rank in range(samples.size)]
    assert ordered == samples.tolist()


@given(unions(longest=300))
def test_percentiles_are_those_of_numpy_to_the_bit(union: Union) -> None:
    """Nothing is approximate: the results are equal, not close."""
    progressions, samples = union.progressions(), union.samples()
    values = percentiles(progressions, PERCENTS, EDGES).tolist()
    if samples.size:
        assert values == [percentile(samples, percent) for percent in PERCENTS]
    else:
        assert np.isnan(values).all()


@given(unions(), st.floats(0.0, 100.0))
def test_bins_do_not_matter(union: Union, percent: float) -> None:
    """They only determine where the search starts, whether they are counted before or not."""
    progressions = union.progressions()
    counts = histogram(progressions, EDGES)
    by_bins = [
        percentiles(progressions, [percent], EDGES),
        percentiles(progressions, [percent], EDGES, counts),
        percentiles(progressions, [percent], ALL),
    ]
    np.testing.assert_array_equal(by_bins[0], by_bins[1])
    np.testing.assert_array_equal(by_bins[0], by_bins[2])


@given(unions())
def test_percentiles_ascend(union: Union) -> None:
    """Rounding does not put a lower percentile above a higher one."""
    values = percentiles(union.progressions(), PERCENTS, EDGES)
    assert (values[:-1] <= values[1:]).all() or np.isnan(values).all()


@given(unions())
def test_the_order_of_progressions_does_not_matter(union: Union) -> None:
    """Pooling is symmetric."""
    turned = Union(*(column[::-1] for column in union))
    both = [percentiles(one.progressions(), PERCENTS, EDGES) for one in (union, turned)]
    np.testing.assert_array_equal(*both)


def test_ranks_among_a_million_billion_samples() -> None:
    """Whole and half numbers, interleaved: rank r is (r + 1) / 2."""
    n = 2**50
    progressions = Union((1.0, -1.0), (0.0, n - 0.5), (n + 1, n)).progressions()
    for rank in (0, 1, 2, 12345, n - 1, n, 2 * n - 1):
        assert order_statistic(progressions, rank) == (rank + 1) / 2
    assert percentiles(progressions, [50.0], ALL).tolist() == [(n + 0.5) / 2]


def test_many_progressions_that_overlap() -> None:
    """Thousands of queues that all cover the same values, as after a rebalance."""
    rng = np.random.default_rng(3)
    slope = tuple(rng.uniform(-0.2, -0.01, 3000).tolist())
    union = Union(slope, (5.0,) * 3000, (400,) * 3000)
    samples = union.samples()
    values = percentiles(union.progressions(), PERCENTS, EDGES).tolist()
    assert values == [percentile(samples, percent) for percent in PERCENTS]


def test_infinite_samples_make_percentiles_infinite_not_undefined() -> None:
    """Two finite and two infinite samples: the third is infinite, and what lies before it."""
    progressions = Union((math.inf, 0.0), (5.0, 3.0), (3, 1)).progressions()
    values = percentiles(progressions, [0.0, 10.0, 100.0 / 3.0, 50.0, 90.0, 100.0], EDGES)
    assert values[0] == 3.0
    assert values[1] == pytest.approx(3.6)
    assert values[2] == 5.0
    assert values[3:].tolist() == [math.inf] * 3


def test_nothing_has_no_percentiles() -> None:
    """NaN, one per requested percentile."""
    nothing = Union((-1.0,), (0.0,), (9,)).progressions()
    assert np.isnan(percentiles(nothing, [50.0, 99.0], EDGES)).tolist() == [True, True]


@pytest.mark.parametrize("percent", [-0.1, 100.1, math.nan])
def test_percentiles_out_of_bounds_are_refused(percent: float) -> None:
    """Whether or not there are samples."""
    progressions = Union((1.0,), (0.0,), (9,)).progressions()
    with pytest.raises(InvalidParameterError, match="percents must"):
        percentiles(progressions, [50.0, percent], EDGES)


@pytest.mark.parametrize("rank", [-1, 8])
def test_ranks_out_of_bounds_are_refused(rank: int) -> None:
    """There are eight positive samples: ranks 0 .. 7."""
    progressions = Union((1.0,), (0.0,), (9,)).progressions()
    assert order_statistic(progressions, 7) == 8.0
    with pytest.raises(InvalidParameterError, match="rank must"):
        order_statistic(progressions, rank)
