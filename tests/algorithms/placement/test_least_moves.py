"""The plan of fewest moves: least by trial of all placements, and proved by its bound."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.placement import balanced_choice, least_moves
from tests.algorithms.placement.every_placement import best_leaders, best_replicas

pytestmark = pytest.mark.unit

Lists = list[list[int]]


def drawn(draw: random.Random, partitions: int, brokers: list[int], most: int) -> Lists:
    """Replicas anywhere, and up to so many of each partition."""
    sizes = [draw.randint(1, min(most, len(brokers))) for _ in range(partitions)]
    return [draw.sample(brokers, size) for size in sizes]


def squares(holders: list[int]) -> int:
    return sum(count**2 for count in Counter(holders).values())


def check_least(before: Lists, brokers: list[int], racks: dict[int, str]) -> None:
    plan = least_moves(before, brokers, racks=racks)
    after = plan.replicas
    assert [len(row) for row in after] == [len(set(row)) for row in before]
    assert [len(set(row)) for row in after] == [len(row) for row in before]
    assert {broker for row in after for broker in row} <= {*brokers}
    moves = sum(len({*row} - {*old}) for old, row in zip(before, after, strict=True))
    held = [broker for row in after for broker in row]
    assert plan.bound <= plan.moves == moves
    assert [squares(held), moves] == best_replicas(before, brokers, racks)
    leaders = [row[0] for row in after]
    changes = sum(old[0] != row[0] for old, row in zip(before, after, strict=True))
    assert [squares(leaders), changes] == best_leaders(before, after, brokers)


@pytest.mark.parametrize("seed", range(60))
def test_no_placement_is_better(seed: int) -> None:
    draw = random.Random(seed)
    old = draw.sample(range(1, 7), draw.randint(2, 4))
    before = drawn(draw, draw.randint(1, 5), old, 3)
    fewest = max(map(len, before))
    brokers = sorted(draw.sample(range(1, 7), draw.randint(fewest, 4)))
    check_least(before, brokers, {})


@pytest.mark.parametrize("seed", range(60))
def test_no_placement_over_racks_is_better(seed: int) -> None:
    draw = random.Random(1000 + seed)
    before = drawn(draw, draw.randint(1, 5), [1, 2, 3, 4, 5], 3)
    fewest = max(map(len, before))
    brokers = sorted(draw.sample(range(1, 7), draw.randint(fewest, 5)))
    racks = {broker: draw.choice("ab" if seed % 2 else "abc") for broker in brokers}
    check_least(before, brokers, racks)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(4, 12), st.integers(1, 60))
def test_brokers_differ_by_one(seed: int, copies: int, number: int, partitions: int) -> None:
    draw = random.Random(seed)
    before = [draw.sample(range(number), copies) for _ in range(partitions)]
    for brokers in (range(number + 1), range(1, number), range(2, number + 2)):
        plan = least_moves(before, brokers)
        counts = Counter(broker for row in plan.replicas for broker in row)
        assert max(counts.values()) - min(counts[broker] for broker in brokers) <= 1
        assert plan.bound <= plan.moves


def test_ten_thousand_partitions_reach_the_bound() -> None:
    draw = random.Random(1)
    before = [draw.sample(range(99), 3) for _ in range(10_000)]
    for brokers in (range(100), range(1, 99)):
        plan = least_moves(before, brokers)
        assert plan.moves == plan.bound


@pytest.mark.parametrize("seed", range(40))
def test_chains_of_moves_alone_find_it_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Direct moves leave little to do for negative cycles: here these do all."""
    monkeypatch.setattr(balanced_choice, "level", lambda state: None)
    draw = random.Random(2000 + seed)
    before = drawn(draw, draw.randint(2, 5), [1, 2, 3, 4, 5], 3)
    fewest = max(map(len, before))
    brokers = sorted(draw.sample(range(1, 7), draw.randint(fewest, 5)))
    racks = {broker: draw.choice("abc") for broker in brokers} if seed % 2 else {}
    check_least(before, brokers, racks)


def test_an_added_follower_moves_no_leader() -> None:
    before = [[1, 2], [2, 1], [1, 2], [2, 1]]
    for old, row in zip(before, least_moves(before, [1, 2, 3]).replicas, strict=True):
        if row[0] != 3:
            assert row[0] in old
            staying = [broker for broker in old if broker in row]
            assert list(row[: len(staying)]) == staying


def test_the_smallest_partitions_move() -> None:
    before = [[1], [1], [1], [2], [2], [2]]
    plan = least_moves(before, [1, 2, 3], sizes=[9.0, 2.0, 5.0, 7.0, 8.0, 1.0])
    assert plan.replicas == ((1,), (3,), (1,), (2,), (2,), (3,))


def test_a_balanced_cluster_stays() -> None:
    before = [[1, 2], [2, 3], [3, 1]]
    assert least_moves(before, [1, 2, 3]) == (((1, 2), (2, 3), (3, 1)), 0, 0)


@pytest.mark.parametrize(
    ("replicas", "brokers", "sizes", "message"),
    [
        ([], [1], None, "must not be empty"),
        ([[1]], [], None, "must not be empty"),
        ([[1, 2]], [1], None, r"replicas\[0\] must have between 1 and 1 different brokers"),
        ([[1], [2, 2]], [1, 2], None, r"replicas\[1\] must have .* \(got \[2, 2\]\)"),
        ([[1]], [1], [1.0, 2.0], "sizes must have one value for each of 1 partitions"),
        ([[1]], [1], [-1.0], "sizes must be finite and at least 0 bytes"),
    ],
)
def test_invalid(replicas: Lists, brokers: list[int], sizes: list[float], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        least_moves(replicas, brokers, sizes)


def test_racks_of_some_brokers_only() -> None:
    with pytest.raises(InvalidParameterError, match=r"of none \(none for broker 2\)"):
        least_moves([[1], [2]], [1, 2], racks={1: "a"})
