"""Many consumers are searched through an index: it has to find what a scan would find.

These tests use the index at any number of partitions, so that the plain reference can check it.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from algorithms.assignment import (
    fit_rules,
    open_consumers,
    sorted_loads,
    tournament,
)
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

INDEXED = tuple(
    name for name in (*cases.ONLINE, *cases.DECREASING, *cases.MODIFIED) if "N" not in name
)
CAPACITY = 10.0


def assert_matches(name: str, rates: cases.Rates, capacity: float, seed: int) -> None:
    """Compare the kernel with an index to the reference."""
    got = cases.assigned(cases.run_with(name, (rates, capacity, seed), indexed=True))
    assert got == cases.expected(name, rates, capacity, seed)


def assert_same(name: str, rates: cases.Rates, capacity: float, seed: int) -> None:
    """Compare the kernel with an index to the same kernel with a scan."""
    indexed, scanned = (
        cases.run_with(name, (rates, capacity, seed), indexed=indexed) for indexed in (True, False)
    )
    assert np.array_equal(indexed, scanned)


@pytest.mark.parametrize("name", INDEXED)
def test_equals_the_reference_on_seeded_streams(name: str) -> None:
    """Every kind of stream, from one partition and one iteration upwards."""
    for rates, capacity, seed in cases.all_streams():
        assert_matches(name, rates, capacity, seed)


@pytest.mark.parametrize("n_partitions", [2, 3, 4, 5, 31, 63, 64, 65, 127, 128, 129])
@pytest.mark.parametrize("name", INDEXED)
def test_equals_the_reference_around_powers_of_two(name: str, n_partitions: int) -> None:
    """Where levels of the tree and shelves begin and end."""
    for kind in ("extremes", "oversized", "absences"):
        assert_matches(name, *cases.draw(kind, (3, n_partitions), 6), 6)


@pytest.mark.parametrize("kind", ["walk", "ties", "oversized", "absences"])
@pytest.mark.parametrize("name", INDEXED)
def test_equals_the_reference_on_several_shelves(name: str, kind: str) -> None:
    """300 partitions and up to 300 consumers, which shelves of 64 are split for."""
    assert_matches(name, *cases.draw(kind, (3, 300), 5), 5)


@pytest.mark.parametrize("name", INDEXED)
@given(stream=cases.streams())
@example(stream=(np.full((3, 2), np.nan), 10.0, 0))
@example(stream=(np.zeros((2, 5)), 10.0, 0))
@example(stream=(np.full((2, 5), 10.0), 10.0, 2**63 - 1))
def test_equals_the_reference_on_any_stream(
    name: str, stream: tuple[cases.Rates, float, int]
) -> None:
    """Hypothesis looks for a small stream on which the two differ."""
    assert_matches(name, *stream)


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("name", INDEXED)
def test_equals_the_scan_for_many_partitions(name: str, kind: str) -> None:
    """2500 partitions: dozens of shelves and twelve levels, with speeds and loads that tie."""
    assert_same(name, *cases.draw(kind, (3, 2500), 8), 8)


@pytest.mark.parametrize("name", INDEXED)
def test_equals_the_scan_where_every_shelf_splits(name: str) -> None:
    """Speeds fall from iteration to iteration: all consumers are open, then hardly any."""
    rates = np.repeat([[9.0], [1.0], [6.0], [0.0], [5.0], [11.0]], 1000, axis=1)
    assert_same(name, rates, CAPACITY, 9)
    rates[:, ::3] += np.arange(334) / 400.0
    assert_same(name, rates, CAPACITY, 9)


@pytest.mark.parametrize("name", [*INDEXED, "NF", "NFD"])
def test_the_number_of_partitions_decides_by_default(name: str) -> None:
    """Either choice gives the result of both; next fit has no index."""
    for n_partitions in (200, 1000):
        stream = (*cases.draw("decimals", (3, n_partitions), 2), 2)
        default = cases.run(name, *stream)
        for indexed in (True, False):
            assert np.array_equal(cases.run_with(name, stream, indexed=indexed), default)


def test_few_partitions_are_scanned_and_many_are_not() -> None:
    """The sizes of the paper are best scanned, and ten thousand never."""
    for rule in (fit_rules.FIRST, fit_rules.BEST, fit_rules.WORST):
        assert open_consumers.make_index(rule, 200, None) is None
        assert open_consumers.make_index(rule, 10_000, None) is not None
        assert open_consumers.make_index(rule, 200, True) is not None
        assert open_consumers.make_index(rule, 10_000, False) is None
    assert open_consumers.make_index(fit_rules.NEXT, 10_000, None) is None


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 100])
def test_the_tournament_knows_the_lowest_load_and_the_first_with_room(n: int) -> None:
    """Loads of few values rise and fall at random; a closed consumer has an infinite one."""
    rng = np.random.default_rng(n)
    loads = np.full(tournament.leaves(n), np.inf)
    winners = tournament.create(n)
    for _ in range(200):
        consumer = int(rng.integers(n))
        loads[consumer] = rng.choice([0.0, 1.0, 2.0, 3.0, np.inf])
        tournament.update(winners, loads, consumer)
        lowest = tournament.least_loaded(winners)
        assert loads[lowest] == loads.min()
        if loads[lowest] < np.inf:
            assert lowest == int(loads.argmin())
        speed = float(rng.integers(0, 4))
        room = np.flatnonzero(loads + speed <= 3.0).tolist()
        assert tournament.first_fit(winners, loads, speed, 3.0) == (room[0] if room else -1)


def listed(index: cases.Consumers) -> list[int]:
    """All consumers in the order in which they stand on the shelves."""
    consumers: list[int] = []
    for shelf in range(int(index[sorted_loads._SHELVES])):
        start = sorted_loads._start(index, shelf)
        consumers += index[start : start + int(index[sorted_loads._count(index, shelf)])].tolist()
    return consumers


@given(
    steps=st.lists(st.tuples(st.integers(0, 399), st.integers(0, 6)), max_size=400),
    speed=st.integers(0, 6),
)
def test_the_shelves_are_sorted(steps: list[tuple[int, int]], speed: int) -> None:
    """As a sorted list is, after any insertions and rises, at most one per partition."""
    loads = np.full(400, np.inf)
    index = sorted_loads.create(400)
    sorted_loads.clear(index)
    for consumer, rise in steps:
        if loads[consumer] < np.inf:
            sorted_loads.remove(index, loads, consumer)
            loads[consumer] += rise
        else:
            loads[consumer] = rise
        sorted_loads.insert(index, loads, consumer)
    present = [int(i) for i in np.flatnonzero(loads < np.inf)]
    assert listed(index) == sorted(present, key=lambda i: (loads[i], -i))
    room = [i for i in present if loads[i] + speed <= CAPACITY]
    best = max(room, key=lambda i: (loads[i], -i), default=-1)
    assert sorted_loads.best_fit(index, loads, float(speed), CAPACITY) == best


@pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 65, 1000, 5000])
def test_the_shelves_suffice_for_one_insertion_per_partition(n: int) -> None:
    """In ascending order, in descending order, and with all of them rising at the same spot."""
    for order in (np.arange(n), np.arange(n)[::-1], np.zeros(n)):
        loads = order.astype(np.float64)
        index = sorted_loads.create(n)
        for consumer in range(n):
            sorted_loads.insert(index, loads, consumer)
        assert listed(index) == sorted(range(n), key=lambda i: (loads[i], -i))
        assert index[sorted_loads._ROWS] <= sorted_loads._rows(index)
    # One consumer that rises again and again: its shelf is emptied and rebuilt.
    loads, index = np.zeros(1), sorted_loads.create(n)
    sorted_loads.insert(index, loads, 0)
    for _ in range(n - 1):
        sorted_loads.remove(index, loads, 0)
        loads[0] += 1.0
        sorted_loads.insert(index, loads, 0)
    assert listed(index) == [0]
    assert index[sorted_loads._ROWS] == 1
