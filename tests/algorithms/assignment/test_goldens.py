"""Assignments pinned to the value: why they must not change is said in `goldens`."""

import itertools

import numpy as np
import pytest

from algorithms.scores import assignment_scores
from tests import naive
from tests.algorithms.assignment import cases, goldens

pytestmark = pytest.mark.unit

RATES = np.array(goldens.RATES)


@pytest.mark.parametrize("name", goldens.EXPECTED)
def test_assignment_is_the_pinned_one(name: str) -> None:
    """The kernel."""
    consumers = cases.run(name, RATES, goldens.CAPACITY, goldens.SEED)
    assert consumers.tolist() == goldens.EXPECTED[name]


@pytest.mark.parametrize("name", goldens.EXPECTED)
def test_reference_is_the_pinned_one(name: str) -> None:
    """The naive reference, from pinned orders: nothing of the kernels is involved here."""
    assigned = naive.assign(name, cases.rows(RATES), goldens.CAPACITY, goldens.ORDERS)
    pinned = cases.assigned(np.array(goldens.EXPECTED[name], dtype=np.int32))
    assert assigned == pinned


def test_orders_are_the_pinned_ones() -> None:
    """Everything online rests on them."""
    assert cases.orders((3, 6), goldens.SEED) == goldens.ORDERS


def test_no_two_algorithms_are_alike() -> None:
    """Otherwise an algorithm registered under a wrong name would pass."""
    for one, other in itertools.combinations(goldens.EXPECTED, 2):
        assert goldens.EXPECTED[one] != goldens.EXPECTED[other], (one, other)


@pytest.mark.parametrize(
    ("name", "consumers", "migrations", "scores"),
    [
        # Iteration 2 moves partitions 2 (4) and 3 (1), iteration 3 moves 0 (3) and 5 (4).
        ("NF", [3, 4, 2], [0, 2, 2], [0.0, 0.5, 0.7]),
        # Partition 2 (4) leaves consumer 1, partition 3 (2) the overloaded consumer 0.
        ("MWF", [3, 3, 3], [0, 1, 1], [0.0, 0.4, 0.2]),
        ("kd_3", [3, 3, 3], [0, 0, 0], [0.0, 0.0, 0.0]),
    ],
)
def test_numbers_counted_on_paper(
    name: str, consumers: list[int], migrations: list[int], scores: list[float]
) -> None:
    """From the pinned assignments and the speeds above."""
    pinned = np.array(goldens.EXPECTED[name], dtype=np.int32)
    assert assignment_scores.n_consumers(pinned).tolist() == consumers
    assert assignment_scores.n_migrations(pinned).tolist() == migrations
    assert assignment_scores.rscore(RATES, pinned, goldens.CAPACITY).tolist() == pytest.approx(
        scores
    )
