"""The fewest replicas by rate and lag, beside all divisions of a few partitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.autoscaling.least_loaded import pack
from algorithms.bounds import rate_and_lag, solver
from algorithms.bounds.effort import effort
from algorithms.bounds.rate_and_lag import fewest_replicas
from algorithms.bounds.result import Bound
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.bounds import plain_replicas

pytestmark = pytest.mark.unit

EFFORT = effort(1.0)
AMOUNTS = st.one_of(st.sampled_from([0, 10, 30, 45, 50, 90, 91, 150]), st.integers(0, 70))


def check(bound: Bound, rates: list[int], lags: list[int], caps: tuple[int, int]) -> None:
    """The assignment keeps the capacities, and has the number of replicas that is stated."""
    assert bound.assignment is not None
    replicas = bound.assignment.tolist()
    assert sorted(set(replicas)) == list(range(int(bound.upper)))
    for replica in set(replicas):
        group = [p for p, other in enumerate(replicas) if other == replica]
        assert plain_replicas.fits(group, rates, lags, caps, False)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=7),
    st.sampled_from([(90, 45), (100, 0), (85, 90)]),
    st.booleans(),
)
def test_up_to_12_partitions_the_fewest_are_proved(
    partitions: list[tuple[int, int]], caps: tuple[int, int], strict: bool
) -> None:
    rates, lags = (list(values) for values in zip(*partitions, strict=True))
    bound = fewest_replicas(rates, lags, *caps, EFFORT, strict)
    assert bound.proved
    assert bound.gap == 0.0
    assert bound.upper == plain_replicas.fewest(rates, lags, caps, strict)
    check(bound, rates, lags, caps)
    if not strict:
        assert bound.upper <= len(pack(rates, lags, *caps))


def test_eight_partitions_with_both_kinds_of_lag() -> None:
    rng = np.random.default_rng(5)
    better = 0
    for case in range(6):
        rates = rng.integers(5, 60, 8).tolist()
        lags = rng.integers(0, 30, 8).tolist() if case % 2 else [0] * 8
        bound = fewest_replicas(rates, lags, 90.0, 45.0, EFFORT)
        assert bound.upper == plain_replicas.fewest(rates, lags, (90, 45))
        better += len(pack(rates, lags, 90.0, 45.0)) > bound.upper
    assert better


def test_the_least_loaded_packing_takes_one_more() -> None:
    """Of two, one has 50 and 40, the other 50 and 30; the last 30 fits nowhere."""
    rates = [50.0, 50.0, 40.0, 30.0, 30.0]
    assert len(pack(rates, [0.0] * 5, 100.0, 1.0)) == 3
    assert fewest_replicas(rates, [0.0] * 5, 100.0, 1.0, EFFORT).upper == 2.0


def test_a_full_lag_that_comes_last_costs_a_replica_per_partition() -> None:
    """Whatever the number of bins, the larger rates have taken all but the last one."""
    rates, lags = [5.0] * 8 + [1.0], [1.0] * 8 + [45.0]
    assert len(pack(rates, lags, 90.0, 45.0)) == 9
    assert fewest_replicas(rates, lags, 90.0, 45.0, EFFORT).upper == 2.0


@pytest.mark.parametrize(("strict", "replicas"), [(False, 2.0), (True, 4.0)])
def test_a_sum_may_reach_the_capacity_unless_it_is_strict(strict: bool, replicas: float) -> None:
    assert fewest_replicas([45.0] * 4, [0.0] * 4, 90.0, 0.0, EFFORT, strict).upper == replicas


def test_sums_do_not_depend_on_the_order_of_adding() -> None:
    """0.1 + 0.2 is above 0.3 in binary."""
    for rates in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]):
        assert fewest_replicas(rates, [0.0] * 3, 0.3, 0.0, EFFORT).upper == 2.0


def test_partitions_above_a_capacity_are_cut_to_it() -> None:
    bound = fewest_replicas([500.0, 10.0, 0.0], [0.0, 900.0, 0.0], 90.0, 45.0, EFFORT)
    assert (bound.lower, bound.upper) == (2.0, 2.0)
    # Where sums must be below, a full replica has no room even for a partition without events.
    assert fewest_replicas([500.0, 0.0], [0.0, 0.0], 90.0, 45.0, EFFORT, True).upper == 2.0


def test_five_equal_partitions_have_no_gap_by_construction() -> None:
    """Equal in 400 of 400: as many fit into each replica, whatever the packing."""
    rng = np.random.default_rng(400)
    for rate, lag in zip(rng.uniform(0.0, 200.0, 400), rng.uniform(0.0, 120.0, 400), strict=True):
        rates, lags = [round(rate, 6)] * 5, [round(lag, 6)] * 5
        bound = fewest_replicas(rates, lags, 180.0, 90.0, EFFORT)
        assert bound.proved
        assert bound.upper == len(pack(rates, lags, 180.0, 90.0))


def many(seed: int, partitions: int) -> tuple[list[int], list[int]]:
    """Partitions of which some packings cannot be decided by totals."""
    rng = np.random.default_rng([seed, partitions])
    return rng.integers(5, 60, partitions).tolist(), rng.integers(5, 60, partitions).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_integer_program_decides_what_the_search_does(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine partitions, once by the search, once without it."""
    rates, lags = many(seed, 9)
    expected = fewest_replicas(rates, lags, 90.0, 90.0, EFFORT)
    monkeypatch.setattr(rate_and_lag, "EXACT", 0)
    bound = fewest_replicas(rates, lags, 90.0, 90.0, EFFORT._replace(steps=0))
    assert (bound.lower, bound.upper) == (expected.lower, expected.upper)
    check(bound, rates, lags, (90, 90))


def test_a_solver_that_fails_leaves_the_interval_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, lags = many(1, 30)
    expected = fewest_replicas(rates, lags, 90.0, 90.0, EFFORT)
    monkeypatch.setattr(solver, "solve", lambda *_, **__: solver.NOTHING)
    bound = fewest_replicas(rates, lags, 90.0, 90.0, EFFORT._replace(steps=1))
    assert bound.lower <= expected.lower <= expected.upper <= bound.upper
    assert not bound.proved
    check(bound, rates, lags, (90, 90))


def test_a_solution_that_is_too_full_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in the first replica."""
    rates, lags = many(1, 30)

    def solve(program: solver.Program, *_: object, **__: object) -> solver.SolverResult:
        values = np.zeros(program.costs.size)
        values[program.matrix[:30].toarray().argmax(axis=1)] = 1.0
        return solver.SolverResult(values, -math.inf, False)

    monkeypatch.setattr(solver, "solve", solve)
    bound = fewest_replicas(rates, lags, 90.0, 90.0, EFFORT._replace(steps=1))
    check(bound, rates, lags, (90, 90))


def test_the_same_call_has_the_same_bound() -> None:
    rates, lags = many(4, 14)
    first, again = (fewest_replicas(rates, lags, 90.0, 90.0, EFFORT) for _ in range(2))
    assert repr(first) == repr(again)


@pytest.mark.parametrize(
    ("rates", "lags", "caps", "name"),
    [
        ([-1.0], [0.0], (1.0, 1.0), "rates"),
        ([1.0], [0.0, 1.0], (1.0, 1.0), "lags"),
        ([1.0], [0.0], (0.0, 1.0), "rate_cap"),
        ([1.0], [0.0], (1.0, -1.0), "lag_cap"),
    ],
)
def test_wrong_arguments(
    rates: list[float], lags: list[float], caps: tuple[float, float], name: str
) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{name}"):
        fewest_replicas(rates, lags, *caps, EFFORT)
