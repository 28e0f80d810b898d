"""Wilcoxon's signed-rank test, against all sign patterns, the literature and SciPy."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.core.input_errors import InvalidParameterError
from algorithms.inference.signed_rank import MOST_EXACT, signed_rank

pytestmark = pytest.mark.unit

# Few magnitudes, so that ties and zeros abound.
few = st.lists(st.sampled_from([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 2.5]), min_size=1, max_size=9)


def by_patterns(differences: list[float]) -> tuple[float, float]:
    """The definition: how many ways to sign the ranks are at least as one-sided."""
    message = [d for d in differences if d]
    ranks = [
        sum(abs(e) < abs(d) for e in message) + (sum(abs(e) == abs(d) for e in message) + 1) / 2
        for d in message
    ]
    positive = sum(r for d, r in zip(message, ranks, strict=True) if d > 0)
    statistic = min(positive, sum(ranks) - positive)
    sums = [
        sum(r for sign, r in zip(signs, ranks, strict=True) if sign)
        for signs in product((False, True), repeat=len(ranks))
    ]
    fewer = sum(total <= statistic for total in sums)
    return statistic, min(1.0, 2 * fewer / len(sums))


@given(few)
def test_all_sign_patterns_are_counted(differences: list[float]) -> None:
    outcome = signed_rank(differences)
    if any(differences):
        assert tuple(outcome) == pytest.approx(by_patterns(differences), abs=1e-12)
    else:
        assert math.isnan(outcome.statistic)
        assert math.isnan(outcome.p)


@given(few)
def test_exchanging_the_two_changes_nothing(differences: list[float]) -> None:
    one, other = signed_rank(differences), signed_rank([-d for d in differences])
    assert one == pytest.approx(other, nan_ok=True)


@pytest.mark.parametrize("n", [2, 5, 20, MOST_EXACT])
def test_scipy_gives_the_same_without_ties(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.3, 1.0, n)
    expected = stats.wilcoxon(differences, method="exact")
    assert tuple(signed_rank(differences)) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-12
    )


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_scipy_gives_the_same_for_many(decimals: int) -> None:
    differences = np.random.default_rng(decimals).normal(0.2, 1.0, 200).round(decimals)
    expected = stats.wilcoxon(differences, method="asymptotic", correction=False)
    assert tuple(signed_rank(differences)) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-9
    )


def test_one_sign_throughout_is_as_unlikely_as_it_gets() -> None:
    assert signed_rank([0.5] * 20) == (0.0, 2 / 2**20)


@pytest.mark.parametrize("wrong", [[], [[1.0]], [math.nan], [math.inf, 1.0]])
def test_what_is_no_list_of_differences(wrong: list[float]) -> None:
    with pytest.raises(InvalidParameterError, match="differences must"):
        signed_rank(wrong)
