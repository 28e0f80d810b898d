"""Placements over the members that are present."""

from __future__ import annotations

from math import inf, nan

import pytest

from live.groups.asked_placements import (
    GroupMember,
    by_slot,
    first_round,
    fits,
    member_of,
    packed,
    placement_of,
    ranged,
)

pytestmark = pytest.mark.unit


def test_a_member_is_read_from_what_it_writes() -> None:
    own = GroupMember("m", 3, 2, (0, 4))
    assert member_of("m", own.user_data) == own


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\xff", b"7", b"[1,2]", b'["a",1,[]]', b"[1,2,3]"),
        *(b"[Infinity,1,[]]", b"[1,NaN,[]]", b"[1,1,[-Infinity]]", b"[" * 100_000),
    ],
)
def test_other_user_data_is_of_no_member(data: bytes) -> None:
    assert member_of("m", data) is None


def test_the_newest_member_of_a_slot_counts() -> None:
    first, second, other = GroupMember("a", 0, 1), GroupMember("b", 0, 2), GroupMember("c", 1, 1)
    assert by_slot([second, other, first]) == {0: second, 1: other}


@pytest.mark.parametrize(
    "content",
    [
        *(None, 7, [], {"a": [0]}, {"0": 7}, {"0": ["x"]}, {"0": None}),
        *({"0": [inf]}, {"0": [-inf]}, {"0": [nan]}),
    ],
)
def test_what_is_no_placement(content: object) -> None:
    assert placement_of(content) is None


def test_slots_are_numbers() -> None:
    assert placement_of({"0": [1, 2], "1": []}) == {0: [1, 2], 1: []}


@pytest.mark.parametrize(
    ("placement", "is_fit"),
    [
        ({0: [0, 2], 1: [1]}, True),
        ({0: [0, 1, 2], 1: []}, True),
        ({0: [0, 1, 2]}, False),  # A member is missing.
        ({0: [0, 2], 1: [1], 2: []}, False),  # One is not there.
        ({0: [0], 1: [1]}, False),  # A partition is missing,
        ({0: [0, 2], 1: [1, 2]}, False),  # or has two owners,
        ({0: [0, 2], 1: [1, 3]}, False),  # or does not exist.
    ],
)
def test_a_placement_fits_exactly_the_members_and_all_partitions(
    placement: dict[int, list[int]], is_fit: bool
) -> None:
    assert fits(placement, (0, 1), 3) is is_fit


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        ({0: [3], 1: [0, 1, 2]}, {0: [3], 1: [0, 1, 2]}),
        ({0: [3], 7: [0, 1, 2]}, {0: [1, 3], 1: [0, 2]}),
        ({0: [3, 3, 9, -1], 1: [3]}, {0: [1, 3], 1: [0, 2]}),
        ({}, {0: [0, 2], 1: [1, 3]}),
    ],
)
def test_what_is_missing_goes_to_those_with_the_fewest(
    placement: dict[int, list[int]], expected: dict[int, list[int]]
) -> None:
    after = packed(placement, (0, 1), 4)
    assert after == expected
    assert fits(after, (0, 1), 4)


@pytest.mark.parametrize("slots", [(0,), (0, 1), (2, 5, 9), (0, 1, 2, 3, 4, 5)])
def test_range_is_that_of_kafkas_assignor(slots: tuple[int, ...]) -> None:
    from algorithms.assignment import assignors

    owners = assignors.assign("range", 5, slots, [-1] * 5, None)
    assert ranged(reversed(slots), 5) == {
        slot: [p for p in range(5) if owners[p] == slot] for slot in slots
    }


def test_partitions_that_another_member_has_wait_for_the_second_round() -> None:
    first, second = GroupMember("a", 0, 1, (0, 1)), GroupMember("b", 1, 1, (2,))
    target = {0: [0, 2, 3], 1: [1]}
    assert first_round(target, [first, second]) == {0: [0, 3], 1: []}
    # Both have given up what moves.
    again = [first._replace(owned=(0, 3)), second._replace(owned=())]
    assert first_round(target, again) == target


def test_what_a_leaving_process_of_a_slot_has_waits_too() -> None:
    former, newest = GroupMember("a", 0, 1, (0,)), GroupMember("b", 0, 2)
    assert first_round({0: [0, 1]}, [former, newest]) == {0: [1]}
