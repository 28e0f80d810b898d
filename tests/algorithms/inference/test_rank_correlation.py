"""Kendall's rank correlation agrees with SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from algorithms.inference.rank_correlation import kendall_tau

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_it_is_tau_b(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, (2, n)).astype(float)
    expected = stats.kendalltau(first, second).statistic
    tau = kendall_tau(first.tolist(), second.tolist())
    assert tau == pytest.approx(expected, nan_ok=True)


def test_alike_reversed_and_unbounded() -> None:
    assert kendall_tau([1, 2, math.inf], [3, 5, 9]) == 1.0
    assert kendall_tau([1, 2, math.inf], [9, 5, 3]) == -1.0
    assert math.isnan(kendall_tau([1.0], [2.0]))
    assert math.isnan(kendall_tau([], []))
    with pytest.raises(ValueError, match="longer"):
        kendall_tau([1.0, 2.0], [1.0, 2.0, 3.0])
