"""Negative cycles, compared with all cycles of small graphs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from algorithms.core.arrays import Longs
from algorithms.placement.negative_cycles import NO_ARC, negative_cycle

pytestmark = pytest.mark.unit


def cost(costs: Longs, cycle: tuple[int, ...]) -> int:
    return sum(int(costs[a, b]) for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))


def test_a_cycle_is_negative_and_found_where_there_is_one() -> None:
    draw = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        nodes = int(draw.integers(2, 6))
        costs = draw.integers(-1, 4, (nodes, nodes))
        costs[(draw.random((nodes, nodes)) < 0.5) | np.eye(nodes, dtype=bool)] = NO_ARC
        cycles = [c for n in range(2, nodes + 1) for c in permutations(range(nodes), n)]
        exists = min(cost(costs, cycle) for cycle in cycles) < 0
        cycle = negative_cycle(costs)
        assert (cycle is not None) == exists
        if cycle is not None:
            assert len(set(cycle)) == len(cycle)
            assert cost(costs, tuple(cycle)) < 0
        seen.add(exists)
    assert seen == {True, False}
