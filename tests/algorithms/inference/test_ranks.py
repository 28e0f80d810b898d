"""Ranks, Friedman's test and Nemenyi's critical difference, against Demšar's example and SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.ranks import critical_difference, groups, rank

pytestmark = pytest.mark.unit

DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        # Printed as 0.975 twice, with ranks 2 and 3: they differ beyond the printed digits.
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Areas under curves of four classifiers on 14 data sets: Demšar 2006, Table 6. More is better."""

scores = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=4, max_size=4), min_size=2, max_size=8
)


def test_demsars_example() -> None:
    """Mean ranks as he prints them; his chi-square of 9.28 is without a correction for ties."""
    ranking = rank(-DEMSAR)
    assert ranking.mean_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    n, k = DEMSAR.shape
    plain = 12 * n / (k * (k + 1)) * (np.square(ranking.mean_ranks).sum() - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    sizes = [np.unique(row, return_counts=True)[1] for row in DEMSAR]
    ties = sum(float((t**3 - t).sum()) for t in sizes) / (n * k * (k**2 - 1))
    assert ranking.statistic == pytest.approx(plain / (1 - ties))
    assert ranking.critical_difference == pytest.approx(1.25, abs=0.005)
    # His Figure 1 (a): C4.5 differs from no other, at 5 %, by a hair.
    assert groups(ranking.mean_ranks, ranking.critical_difference) == [[3, 1, 2, 0]]
    assert groups(ranking.mean_ranks, critical_difference(k, n, 0.1)) == [[3, 1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (6, 2.850), (8, 3.031), (10, 3.164)]
)
def test_quantiles_of_demsars_table(k: int, q: float) -> None:
    assert critical_difference(k, 1) / math.sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=1e-3)


@given(scores)
def test_ranks_are_those_of_the_definition(rows: list[list[float]]) -> None:
    values = np.array(rows)
    expected = [
        np.mean([np.sum(row < row[j]) + (np.sum(row == row[j]) + 1) / 2 for row in values])
        for j in range(4)
    ]
    ranking = rank(values)
    assert ranking.mean_ranks.tolist() == pytest.approx(expected)
    if (values == values[:, :1]).all():
        assert math.isnan(ranking.p)
    else:
        assert (ranking.statistic, ranking.p) == pytest.approx(
            tuple(stats.friedmanchisquare(*values.T))
        )
        assert 0.0 <= ranking.p <= 1.0


@given(scores, st.permutations(range(4)))
def test_the_order_of_algorithms_does_not_matter(rows: list[list[float]], order: list[int]) -> None:
    values = np.array(rows)
    one, other = rank(values), rank(values[:, order])
    assert other.mean_ranks.tolist() == one.mean_ranks[order].tolist()
    assert other.p == pytest.approx(one.p, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "tested", "apart"),
    [
        ([[1.0, 2.0, 3.0]], False, False),
        ([[1.0, 2.0], [2.0, 1.0]], False, True),
        ([[1.0], [2.0]], False, False),
        ([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], False, True),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]], True, True),
    ],
    ids=["one replicate", "two algorithms", "one algorithm", "all ties", "enough"],
)
def test_too_little_gives_nothing(values: list[list[float]], tested: bool, apart: bool) -> None:
    ranking = rank(np.array(values))
    assert (not math.isnan(ranking.statistic), not math.isnan(ranking.p)) == (tested, tested)
    assert (not math.isnan(ranking.critical_difference)) == apart


@given(
    st.lists(st.floats(1, 9).map(lambda x: round(x, 1)), min_size=1, max_size=9), st.floats(0.1, 5)
)
def test_groups_are_the_largest_sets_of_which_no_two_differ(
    ranks: list[float], apart: float
) -> None:
    index_sets = groups(np.array(ranks), apart)
    sets = [set(group) for group in index_sets]
    for one in sets:
        assert len(one) >= 2
        assert max(ranks[i] for i in one) - min(ranks[i] for i in one) < apart
        assert not any(one < other for other in sets)
    for i in range(len(ranks)):
        for j in range(i):
            together = any({i, j} <= one for one in sets)
            assert together == (abs(ranks[i] - ranks[j]) < apart)


def test_an_unknown_difference_joins_nobody() -> None:
    assert groups(np.array([1.0, 1.0, 2.0]), math.nan) == []


@pytest.mark.parametrize(("k", "n", "level"), [(1, 5, 0.05), (4, 0, 0.05), (4, 5, 0.0), (4, 5, 1)])
def test_bounds_of_a_critical_difference(k: int, n: int, level: float) -> None:
    with pytest.raises(InvalidParameterError):
        critical_difference(k, n, level)
