"""Worked examples of assignors over several topics, as Kafka's own classes answer them."""

from __future__ import annotations

import pytest

from algorithms.assignment.assignors import assign_group

pytestmark = pytest.mark.unit

Owned = dict[str, list[tuple[str, int]]]


def names(placed: Owned) -> dict[str, str]:
    """Assignments as words such as a0."""
    return {member: " ".join(f"{t}{p}" for t, p in own) for member, own in placed.items()}


def owned(**by_member: str) -> Owned:
    """Owned partitions from such words."""
    return {m: [(word[0], int(word[1:])) for word in own.split()] for m, own in by_member.items()}


UNEVEN = {"A": ["a", "b"], "B": ["b"], "C": ["a"]}
JOINED = owned(A="a0 a1 a2 b0", B="a3 b1 b2 b3")
LEFT_OUT = owned(A="a0 a1 a2 b0 b1", B="b2 b3")


@pytest.mark.parametrize("name", ["range", "kip848_range"])
def test_range_takes_each_topic_on_its_own(name: str) -> None:
    read = {"A": ["a", "b", "c"], "B": ["a", "b", "c"], "C": ["c"]}
    placed = assign_group(name, {"a": 4, "b": 4, "c": 4}, ["A", "B", "C"], None, read)
    assert names(placed) == {"A": "a0 a1 b0 b1 c0 c1", "B": "a2 a3 b2 b3 c2", "C": "c3"}


def test_round_robin_has_one_pointer_for_all_topics() -> None:
    read = {"A": ["a", "b"], "B": ["a"], "C": ["b"]}
    placed = assign_group("roundrobin", {"a": 3, "b": 4}, ["A", "B", "C"], None, read)
    assert names(placed) == {"A": "a0 a2 b1 b3", "B": "a1", "C": "b0 b2"}


def test_sticky_keeps_by_number_and_gives_by_topic() -> None:
    placed = assign_group("sticky", {"a": 4, "b": 4}, ["A", "B", "C"], JOINED)
    assert names(placed) == {"A": "a0 a1 b0", "B": "a3 b1 b2", "C": "a2 b3"}


def test_cooperative_sticky_needs_two_rounds() -> None:
    group = {"a": 4, "b": 4}, ["A", "B", "C"]
    first = assign_group("cooperative_sticky", *group, JOINED)
    assert names(first) == {"A": "a0 a1 b0", "B": "a3 b1 b2", "C": ""}
    assert names(assign_group("cooperative_sticky", *group, first))["C"] == "a2 b3"


def test_uniform_has_one_order_for_all() -> None:
    placed = assign_group("kip848_uniform", {"a": 4, "b": 4}, ["A", "B", "C"], JOINED)
    assert names(placed) == {"A": "a0 a1 a2", "B": "a3 b1 b2", "C": "b0 b3"}


def test_uniform_gives_the_extra_place_back() -> None:
    before = owned(A="a0", B="a1 a2 b0 b1")
    placed = assign_group("kip848_uniform", {"a": 4, "b": 3}, ["A", "B", "C"], before)
    assert names(placed) == {"A": "a0 a3", "B": "a1 a2 b0", "C": "b1 b2"}
    old = assign_group("kip848_uniform_4_0", {"a": 4, "b": 3}, ["A", "B", "C"], before)
    assert names(old) != names(placed)


def test_sticky_moves_until_nothing_is_movable() -> None:
    placed = assign_group("sticky", {"a": 3, "b": 4}, ["A", "B", "C"], LEFT_OUT, UNEVEN)
    assert names(placed) == {"A": "a2 b0 b1", "B": "b2 b3", "C": "a0 a1"}


def test_uniform_evens_topics_out() -> None:
    placed = assign_group("kip848_uniform", {"a": 3, "b": 4}, ["A", "B", "C"], LEFT_OUT, UNEVEN)
    assert names(placed) == {"A": "a0 b0", "B": "b1 b2 b3", "C": "a1 a2"}


def test_kip169_places_each_topic_by_lag() -> None:
    placed = assign_group("kip169", {"a": 3, "b": 3}, [f"{i}" for i in range(6)])
    assert [len(own) for own in placed.values()] == [2, 2, 2, 0, 0, 0]
    lags = {"a": {0: 1, 1: 9, 2: 3}, "b": {2: 5}}
    placed = assign_group("kip169", {"a": 3, "b": 3}, ["x", "y"], lags=lags)
    assert names(placed) == {"x": "a1 b2", "y": "a0 a2 b0 b1"}


def test_members_in_any_order_and_strangers_change_nothing() -> None:
    group = {"b": 4, "a": 4}, ["C", "A", "B"], {**JOINED, "gone": [("a", 3), ("c", 7)]}
    expected = assign_group("sticky", {"a": 4, "b": 4}, ["A", "B", "C"], JOINED)
    assert assign_group("sticky", *group) == expected
