"""Values of bounds for real speeds, which no grid holds: all assignments, and a second solver."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from algorithms import bounds
from algorithms.assignment import registry
from algorithms.bounds.result import EQUAL
from tests.algorithms.scores import exact

pytestmark = pytest.mark.unit

EFFORT = bounds.effort(0.2)
BEYOND = 10**6
"""Whole sizes of a capacity that no grid has the units of."""

SHARES = st.one_of(
    st.floats(0.0, 1.4),
    st.sampled_from([1 / 3, 2 / 3, 1 / 7, 2 / 7, 3 / 7, 4 / 7, 0.1, 0.2, 0.5, 0.7]),
    st.sampled_from([1.0, 1.0 - 1e-9, 1.0 + 0.5e-9, 1.0 + 2e-9, 0.5 + 1e-9, 0.5 - 1e-9]),
    st.sampled_from([0.0, 1e-300, 1e-12, 1.5]),
)
CAPACITIES = st.sampled_from([1e-6, 1 / 3, 1.0, 7.0, 100.0, 12_345.678, 1e15])


def on_the_edge(loads: set[float], capacity: float) -> bool:
    """Whether a sum is so near to what is valid that the order of its terms decides."""
    limit = capacity * (1 + exact.TOLERANCE)
    return any(abs(load - limit) <= 1e-14 * limit for load in loads)


def all_loads(speeds: list[float]) -> set[float]:
    loads = {Fraction(0)}
    for speed in speeds:
        loads |= {load + Fraction(speed) for load in loads}
    return {float(load) for load in loads}


@settings(max_examples=60)
@given(st.lists(SHARES, min_size=1, max_size=7), CAPACITIES)
def test_the_fewest_consumers_of_real_speeds_are_in_the_interval(
    shares: list[float], capacity: float
) -> None:
    speeds = [share * capacity for share in shares]
    if on_the_edge(all_loads(speeds), capacity):
        return
    bound = bounds.fewest_consumers(np.array(speeds), capacity, EFFORT)
    fewest = exact.brute_force_consumers(speeds, capacity)
    assert bound.lower <= fewest <= bound.upper
    assert not bound.proved or bound.upper == fewest


@settings(max_examples=60)
@given(st.lists(SHARES, min_size=1, max_size=5), CAPACITIES, st.data())
def test_the_least_rscore_of_real_speeds_is_in_the_interval(
    shares: list[float], capacity: float, data: st.DataObject
) -> None:
    """Arrivals, partitions above C and assignments before that are not valid are among them."""
    n = len(shares)
    speeds = [share * capacity for share in shares]
    before = data.draw(st.lists(st.integers(-1, n - 1), min_size=n, max_size=n))
    allowed = data.draw(st.integers(0, n))
    if on_the_edge(all_loads(speeds), capacity):
        return
    ids = np.array(before, dtype=np.int32)
    bound = bounds.least_rscore(np.array(speeds), capacity, ids, allowed, EFFORT)
    homes = [None if c < 0 else c for c in before]
    least = exact.brute_force_rscore(speeds, capacity, homes, allowed)
    if least is None:
        assert bound.upper == np.inf
        return
    assert bound.lower - EQUAL <= least <= bound.upper + 1e-9
    assert not bound.proved or bound.upper == pytest.approx(least, abs=EQUAL)


def beyond_the_grid(seed: int, partitions: int) -> NDArray[np.float64]:
    """Two iterations of integer speeds at a capacity of a million."""
    rng = np.random.default_rng(seed)
    first = rng.integers(1, BEYOND + 1, partitions)
    steps = rng.integers(-BEYOND // 7, BEYOND // 7 + 1, partitions)
    return np.array([first, np.clip(first + steps, 1, BEYOND)], dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [6, 7, 19, 20])
def test_two_solvers_agree_on_consumers_where_sizes_are_rounded(seed: int) -> None:
    speeds = beyond_the_grid(seed, 32)[1]
    bound = bounds.fewest_consumers(speeds, float(BEYOND), bounds.effort(5.0))
    sizes = [int(s) for s in speeds]
    assert (bound.proved, bound.method) == (True, "patterns")
    assert exact.cp_sat_consumers(sizes, BEYOND, int(bound.upper)) == bound.upper
    assert exact.cp_sat_consumers(sizes, BEYOND, int(bound.upper) - 1) is None


@pytest.mark.parametrize(("seed", "name"), [(0, "BFD"), (1, "BFD"), (1, "MBF")])
def test_two_solvers_agree_on_rscores_where_sizes_are_rounded(seed: int, name: str) -> None:
    rates = beyond_the_grid(seed, 18)
    assigned = registry.get(name).assign(rates, float(BEYOND), 1)
    allowed = int(np.unique(assigned[1]).size)
    bound = bounds.least_rscore(
        rates[1], float(BEYOND), assigned[0], allowed, bounds.effort(5.0), assigned[1]
    )
    sizes = [int(s) for s in rates[1]]
    moved = exact.cp_sat_moved(sizes, BEYOND, assigned[0].tolist(), allowed)
    assert moved is not None
    assert bound.proved
    assert bound.upper == pytest.approx(moved / BEYOND, abs=EQUAL)
