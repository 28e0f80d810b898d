"""Counts and histograms of progressions, against enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.histograms import histogram
from algorithms.scores.progressions import Progressions, positive_part, rank_above, ranks_above
from tests.algorithms.scores.unions import Samples, Union, enumerated, intercepts, slopes, unions

pytestmark = pytest.mark.unit

EDGES = np.array([0.0, 1e-3, 0.1, 1.0, 5.0, 7.5, 100.0, 1e5, np.inf])


def count_at_most(samples: Progressions, value: float) -> int:
    """Number of samples that are at most a value."""
    first = np.zeros_like(samples.size)
    return int(ranks_above(*samples[:3], first, samples.size, float(value)).sum())


def _telling_values(samples: Samples) -> list[float]:
    """Values at which a count can go wrong: samples, and the floats next to them."""
    chosen = np.unique(samples)[:40]
    beside = [*np.nextafter(chosen, 0.0), *chosen, *np.nextafter(chosen, np.inf)]
    return [0.0, 1.0, np.inf, *(float(value) for value in beside)]


@given(unions())
def test_positive_part_keeps_what_is_above_zero(union: Union) -> None:
    """Sizes and ends of each progression are those of the enumeration, in the given order."""
    expected = [
        enumerated(*one) for one in zip(union.slope, union.intercept, union.length, strict=True)
    ]
    expected = [samples for samples in expected if samples.size]
    progressions = union.progressions()
    assert progressions.size.tolist() == [samples.size for samples in expected]
    assert progressions.smallest.tolist() == [samples.min() for samples in expected]
    assert progressions.largest.tolist() == [samples.max() for samples in expected]


@given(unions())
def test_counts_are_those_of_the_enumeration(union: Union) -> None:
    """Also at the samples themselves and at the floats next to them."""
    progressions, samples = union.progressions(), union.samples()
    for value in _telling_values(samples):
        assert count_at_most(progressions, value) == np.count_nonzero(samples <= value)


@given(slopes, intercepts, st.integers(1, 5000), st.data())
def test_rank_within_a_known_range(
    slope: float, intercept: float, length: int, data: st.DataObject
) -> None:
    """The caller may pass any range that contains the rank."""
    samples = np.sort(enumerated(slope, intercept, length))
    if not samples.size:
        return
    value = float(data.draw(st.sampled_from(samples.tolist())))
    rank = int(np.count_nonzero(samples <= value))
    low, high = data.draw(st.integers(0, rank)), data.draw(st.integers(rank, samples.size))
    base = int(positive_part(*_columns(slope, intercept, length)).base[0])
    assert rank_above(slope, intercept, base, low, high, value) == rank


def _columns(slope: float, intercept: float, length: int) -> tuple[Samples, ...]:
    return np.array([slope]), np.array([intercept]), np.array([length])


@given(unions())
def test_histogram_is_that_of_the_enumeration(union: Union) -> None:
    """A bin includes its upper end; infinite samples are in the last one."""
    samples = union.samples()
    bins = np.searchsorted(EDGES, samples, side="left") - 1
    expected = np.bincount(bins, minlength=EDGES.size - 1)
    assert histogram(union.progressions(), EDGES).tolist() == expected.tolist()


@given(unions())
def test_histogram_agrees_with_counts(union: Union) -> None:
    """Up to each edge there are as many samples as the bins below it hold."""
    progressions = union.progressions()
    up_to = np.cumsum(histogram(progressions, EDGES)).tolist()
    assert up_to == [count_at_most(progressions, edge) for edge in EDGES[1:]]


def test_bins_worked_by_hand() -> None:
    """1, 2 .. 9 in (0, 3], (3, 4], (4, inf]."""
    nine = Union((1.0,), (0.0,), (10,)).progressions()
    assert histogram(nine, np.array([0.0, 3.0, 4.0, np.inf])).tolist() == [3, 1, 5]


@pytest.mark.parametrize("length", [10**3, 10**9, 2**52])
def test_any_length_is_counted(length: int) -> None:
    """Integers are exact: the counts of both directions are known without enumerating."""
    rising = Union((1.0,), (0.0,), (length,)).progressions()
    falling = Union((-1.0,), (float(length - 1),), (length,)).progressions()
    for progressions in (rising, falling):
        assert progressions.size.tolist() == [length - 1]
        for value in (1, 2, length // 3, length - 2, length - 1):
            assert count_at_most(progressions, value) == value
            assert count_at_most(progressions, value + 0.5) == min(value, length - 1)


def test_a_slope_far_below_the_rounding_of_the_intercept() -> None:
    """100,000 neighbours share a float: the closed form is off by many, the count is exact."""
    step = math.ulp(5.0) / 1e5
    length = 3_000_000
    samples = step * np.arange(length) + 5.0
    progressions = Union((step,), (5.0,), (length,)).progressions()
    for value in np.unique(samples).tolist():
        assert count_at_most(progressions, value) == np.searchsorted(samples, value, side="right")


@pytest.mark.parametrize("length", [2, 1000, 2**52])
def test_an_unserved_queue(length: int) -> None:
    """The first sample is finite, all others are infinite."""
    unserved = Union((math.inf,), (5.0,), (length,)).progressions()
    assert count_at_most(unserved, 4.9) == 0
    assert count_at_most(unserved, 5.0) == count_at_most(unserved, 1e300) == 1
    assert count_at_most(unserved, math.inf) == length
    assert histogram(unserved, EDGES).tolist() == [0, 0, 0, 1, 0, 0, 0, length - 1]


def test_nothing_positive_is_nothing() -> None:
    """Neither progressions without samples nor such below 0 leave anything."""
    nothing = Union((1.0, -1.0, 0.0), (3.0, 0.0, 0.0), (0, 10, 10)).progressions()
    assert nothing.size.tolist() == []
    assert count_at_most(nothing, math.inf) == 0
    assert histogram(nothing, EDGES).sum() == 0


@pytest.mark.parametrize(
    ("slope", "intercept", "length", "message"),
    [
        ([1.0, 2.0], [0.0], [3], r"shapes \(2,\), \(1,\) and \(1,\)"),
        ([math.nan], [0.0], [3], "NaN or -inf"),
        ([1.0], [-math.inf], [3], "NaN or -inf"),
        ([1.0], [0.0], [-1], "minimum of -1"),
        ([1.0, 1.0], [0.0, 0.0], [2**53, 2], "larger unit"),
        ([1.0, 1.0], [0.0, 0.0], [2**62, 2**62], "larger unit"),
    ],
)
def test_invalid_progressions_are_refused(
    slope: list[float], intercept: list[float], length: list[int], message: str
) -> None:
    """The message says which number is wrong."""
    with pytest.raises(InvalidParameterError, match=message):
        positive_part(np.array(slope), np.array(intercept), np.array(length))


@pytest.mark.parametrize(
    "edges", [[0.0], [1.0, np.inf], [0.0, 1.0], [0.0, 2.0, 1.0, np.inf], [0.0, 1.0, 1.0, np.inf]]
)
def test_edges_have_to_cover_everything(edges: list[float]) -> None:
    """Otherwise samples would be lost silently."""
    progressions = Union((1.0,), (0.0,), (3,)).progressions()
    with pytest.raises(InvalidParameterError, match="edges"):
        histogram(progressions, np.array(edges))
