"""Assignments of a group, read from its members' journals."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.groups.group_members import Assignments, JournalTail

pytestmark = pytest.mark.unit

ONE, TWO = (0, 1), (1, 1)


def change(what: str, *partitions: int) -> dict[str, object]:
    return {"what": what, "partitions": list(partitions)}


def test_a_tail_reads_whole_lines_once(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    tail = JournalTail(file)
    assert tail.entries() == []
    file.write_text('{"a":1}\n{"b":')
    assert tail.entries() == [{"a": 1}]
    assert tail.entries() == []
    file.write_text('{"a":1}\n{"b":"é"}\n')
    assert tail.entries() == [{"b": "é"}]


def test_a_group_is_even_when_all_members_have_equal_parts() -> None:
    assignments = Assignments(4)
    assignments.apply(ONE, change("assigned", 0, 1, 2, 3))
    assert assignments.are_even([ONE])
    assert not assignments.are_even([ONE, TWO])
    assignments.apply(ONE, change("revoked", 2, 3))
    assignments.apply(ONE, {"what": "state"})
    assert not assignments.are_even([ONE, TWO])
    assignments.apply(TWO, change("assigned", 2, 3))
    assert assignments.are_even([ONE, TWO])
    assert not assignments.are_even([ONE])
    assignments.apply(ONE, change("lost", 1))
    assert not assignments.are_even([ONE, TWO])
    assignments.apply(TWO, change("assigned", 1))
    assert not assignments.are_even([ONE, TWO])  # 1 and 3


def test_parts_may_differ_by_one_and_may_not_overlap() -> None:
    assignments = Assignments(3)
    assignments.apply(ONE, change("assigned", 0, 1))
    assignments.apply(TWO, change("assigned", 2))
    assert assignments.are_even([ONE, TWO])
    assignments.apply(TWO, change("assigned", 1))
    assert not assignments.are_even([ONE, TWO])
    assignments.remove(ONE)
    assignments.remove(ONE)
    assert not assignments.are_even([TWO])
    assignments.apply(TWO, change("assigned", 0))
    assert assignments.are_even([TWO])
    assert not assignments.are_even([])


def test_the_busiest_member_has_the_highest_rate_and_the_lowest_slot() -> None:
    assignments = Assignments(3)
    assignments.apply(ONE, change("assigned", 0))
    assignments.apply(TWO, change("assigned", 1, 2))
    assert assignments.busiest([5.0, 2.0, 2.0], {0, 1}) == 0
    assert assignments.busiest([4.0, 2.0, 2.0], {0, 1}) == 0
    assert assignments.busiest([3.0, 2.0, 2.0], {0, 1}) == 1
    assert assignments.busiest([3.0, 2.0, 2.0], {0, 7}) == 0
    assert assignments.busiest([3.0, 2.0, 2.0], set()) is None
