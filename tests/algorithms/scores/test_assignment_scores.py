"""Rscore, CBS and the audit, against hand-worked numbers and the naive reference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.scores import assignment_scores
from tests import naive
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

NAN = math.nan
RATES = np.array([[4.0, 3.0, 2.0, NAN], [5.0, 2.5, 1.0, 6.0], [6.0, NAN, 8.0, 7.0]])
CONSUMERS = np.array([[0, 0, 1, -1], [1, 0, 0, 2], [1, -1, 2, 0]], dtype=np.int32)


def test_counts_worked_by_hand() -> None:
    """Iteration 2 moves partitions 0 and 2, iteration 3 moves 2 and 3; 3 arrives, 1 departs."""
    assert assignment_scores.n_consumers(CONSUMERS).tolist() == [2, 3, 3]
    assert assignment_scores.n_migrations(CONSUMERS).tolist() == [0, 2, 2]
    assert assignment_scores.n_consumers(CONSUMERS).dtype == np.int32
    assert assignment_scores.n_migrations(CONSUMERS).dtype == np.int32


def test_rscore_worked_by_hand() -> None:
    """Speeds count as they are after the move: (5 + 1) / 10, then (8 + 7) / 10."""
    assert assignment_scores.rscore(RATES, CONSUMERS, 10.0).tolist() == [0.0, 0.6, 1.5]


def test_rscore_is_relative_to_the_capacity() -> None:
    """Twice the capacity halves it, for any assignment."""
    assert assignment_scores.rscore(RATES, CONSUMERS, 20.0).tolist() == [0.0, 0.3, 0.75]


def test_arrivals_and_departures_are_no_migrations() -> None:
    """Not even of a partition that comes back to another consumer."""
    rates = np.array([[4.0], [NAN], [4.0]])
    consumers = np.array([[0], [-1], [5]], dtype=np.int32)
    assert assignment_scores.n_migrations(consumers).tolist() == [0, 0, 0]
    assert assignment_scores.rscore(rates, consumers, 10.0).tolist() == [0.0, 0.0, 0.0]


def test_a_migration_of_an_idle_partition_costs_nothing_but_counts() -> None:
    """Rscore weighs migrations by speed; their number does not."""
    rates = np.zeros((2, 1))
    consumers = np.array([[0], [1]], dtype=np.int32)
    assert assignment_scores.n_migrations(consumers).tolist() == [0, 1]
    assert assignment_scores.rscore(rates, consumers, 10.0).tolist() == [0.0, 0.0]


def test_rscore_adds_in_partition_order() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floats: the order is part of the contract."""
    rates = np.array([[0.1, 0.2, 0.3]] * 2)
    consumers = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.int32)
    assert (
        assignment_scores.rscore(rates, consumers, 1.0)[1] == (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
    )


@given(stream=cases.streams(), seed=st.integers(0, 99))
def test_metrics_equal_the_reference(stream: tuple[cases.Rates, float, int], seed: int) -> None:
    """On arbitrary assignments, also ones that no algorithm would make."""
    rates, capacity, _ = stream
    consumers = np.random.default_rng(seed).integers(0, rates.shape[1], rates.shape, np.int32)
    consumers[np.isnan(rates)] = -1
    assignments = cases.assigned(consumers)
    counts = [naive.consumers_used(assignment) for assignment in assignments]
    assert assignment_scores.n_consumers(consumers).tolist() == counts
    assert assignment_scores.n_migrations(consumers).tolist() == naive.migrations(assignments)
    scores = naive.rscore(cases.rows(rates), assignments, capacity)
    assert assignment_scores.rscore(rates, consumers, capacity).tolist() == scores


def test_cbs_worked_by_hand() -> None:
    """Equation 28: (2/4 + 0/5 + 1/2 + 3/3) / 4, each excess relative to its own minimum."""
    z = np.array([6, 5, 3, 6], dtype=np.int32)
    minimum = np.array([4, 5, 2, 3], dtype=np.int32)
    assert assignment_scores.cbs(z, minimum) == 0.5


def test_cbs_is_no_ratio_of_means() -> None:
    """Total consumers 6 over 5 would give 0.2; the mean of the ratios is 0.5."""
    assert assignment_scores.cbs(np.array([2, 4], np.int32), np.array([1, 4], np.int32)) == 0.5


def test_cbs_of_the_minimum_is_zero() -> None:
    """An algorithm with the minimum at each iteration has no excess."""
    z = np.array([3, 1, 7], dtype=np.int32)
    assert assignment_scores.cbs(z, z) == 0.0


def test_cbs_counts_an_empty_iteration_as_no_excess() -> None:
    """It stays in the mean: (1/1 + 0) / 2."""
    assert assignment_scores.cbs(np.array([2, 0], np.int32), np.array([1, 0], np.int32)) == 0.5


@given(pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_cbs_equals_the_reference(pairs: list[tuple[int, int]]) -> None:
    """An empty iteration is empty for every algorithm, so the minimum is 0 only when z is."""
    minimum = [low for low, _ in pairs]
    z = [low + more if low else 0 for low, more in pairs]
    got = assignment_scores.cbs(np.array(z, np.int32), np.array(minimum, np.int32))
    assert got == pytest.approx(naive.cbs(z, minimum), abs=1e-15)


def audit(rates: list[list[float]], consumers: list[list[int]]) -> dict[str, int]:
    """Count what the audit finds at capacity 10, leaving out what it does not find."""
    counts = assignment_scores.audit(
        np.array(rates, dtype=np.float64), np.array(consumers, dtype=np.int32), 10.0
    )
    return {name: int(count) for name, count in counts._asdict().items() if count}


def test_audit_of_a_sound_assignment_is_all_zero() -> None:
    """Full consumers and a single oversized partition are sound."""
    assert audit([[6, 4, 12], [NAN, 10, 3]], [[0, 0, 1], [-1, 0, 1]]) == {}


def test_audit_finds_unassigned_partitions() -> None:
    """A present partition without a consumer."""
    assert audit([[6, 4], [6, 4]], [[0, 0], [0, -1]]) == {"unassigned": 1}


def test_audit_finds_misplaced_partitions() -> None:
    """An absent partition with a consumer."""
    assert audit([[6, 4], [NAN, 4]], [[0, 0], [1, 0]]) == {"misplaced": 1}


def test_audit_finds_overloaded_consumers() -> None:
    """Two partitions above the capacity, or an oversized one in company."""
    assert audit([[6, 5, 1], [6, 4, 12]], [[0, 0, 1], [0, 1, 1]]) == {"overloaded": 2}
    assert audit([[12, 0]], [[0, 0]]) == {"overloaded": 1}


def test_audit_forgives_rounding_only() -> None:
    """A relative 1e-9 above the capacity, inclusive, is rounding; 1e-8 is not."""
    assert audit([[10 * (1 + 1e-9), 0]], [[0, 0]]) == {}
    assert audit([[5, 5 + 5e-9]], [[0, 0]]) == {}
    assert audit([[5, 5 + 1e-7]], [[0, 0]]) == {"overloaded": 1}


@pytest.mark.parametrize("consumer", [2, 7, -2])
def test_audit_finds_consumers_out_of_range(consumer: int) -> None:
    """With two partitions the ids are 0 and 1; -1 alone means absent."""
    violations = audit([[6, 4]], [[0, consumer]])
    assert violations["consumers_out_of_range"] == 1


def test_audit_counts_iterations() -> None:
    """Of the whole stream, not of its last iteration; not partitions, consumers or pairs."""
    lost = [[-1, -1, 0, 1]] * 3
    violations = audit([[1, 2, NAN, NAN]] * 3 + [[8, 8, 7, 7]] * 2, lost + [[1, 1, 0, 0]] * 2)
    assert violations == {"unassigned": 3, "misplaced": 3, "overloaded": 2}
