"""The chain's running minima, against all chains."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from algorithms.bounds.replica_chain import least_cost

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(40))
def test_all_chains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps, n = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    costs, first = rng.integers(0, 9, (steps, n)) / 2.0, rng.integers(-3, 4, n) / 2.0
    kept, up = rng.integers(0, 5, 2) / 2.0
    expected = min(
        first[chain[0]]
        + sum(costs[k, count] for k, count in enumerate(chain))
        + sum(kept * min(a, b) + up * max(b - a, 0) for a, b in pairwise(chain))
        for chain in product(range(n), repeat=steps)
    )
    assert least_cost(costs, first, float(kept), float(up)) == expected


def test_costs_stay_as_they_are() -> None:
    costs, first = np.ones((3, 2)), np.zeros(2)
    least_cost(costs, first, 1.0, 1.0)
    assert costs.tolist() == [[1.0, 1.0]] * 3
    assert first.tolist() == [0.0, 0.0]
