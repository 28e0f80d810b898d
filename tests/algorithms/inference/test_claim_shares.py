"""The rule for claims that hold in a share of the seeds."""

from __future__ import annotations

from itertools import pairwise
from math import comb

import pytest

from algorithms.inference.claim_shares import exact_share, word_of

pytestmark = pytest.mark.unit


def at_least(k: int, n: int, p: float) -> float:
    return sum(comb(n, i) * p**i * (1.0 - p) ** (n - i) for i in range(k, n + 1))


@pytest.mark.parametrize(
    ("held", "seeds"), [(0, 30), (1, 30), (16, 30), (26, 30), (30, 30), (3, 7)]
)
def test_ends_are_those_of_exact_tests(held: int, seeds: int) -> None:
    share, low, high = exact_share(held, seeds)
    assert share == held / seeds
    assert low == 0.0 if held == 0 else at_least(held, seeds, low) == pytest.approx(0.025)
    above = 1.0 - at_least(held + 1, seeds, high)
    assert high == 1.0 if held == seeds else above == pytest.approx(0.025)


def test_words_follow_the_share() -> None:
    words = [word_of(*exact_share(held, 30)[1:]) for held in range(31)]
    order = ["not reproduced", "open", "reproduced"]
    assert all(order.index(one) <= order.index(other) for one, other in pairwise(words))
    assert (words.index("open"), words.index("reproduced")) == (10, 21)
    assert word_of(float("nan"), float("nan")) == "open"
