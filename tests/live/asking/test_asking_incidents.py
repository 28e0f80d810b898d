"""A group that asks, to which something happens: who places partitions, and when answers wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.groups.standstill import Standstill
from live.live_settings import LiveSettings, load
from tests.live.asking.test_asking_group import MU, PARTITIONS, SECOND, Group, _no_socket
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

__all__ = ["_no_socket"]

LOW, HIGH = [10_000.0] * PARTITIONS, [40_000.0] * PARTITIONS


def group(folder: Path, label: str, *events: str) -> Group:
    made = Group(folder, label, [LOW] * 40, iteration_s=1.0, group_events=events, session_s=6.0)
    made.have(0, 0, 1, 1)
    made.counts.begin(7)
    return made


def test_a_crash_is_answered_by_the_assignor_and_ends_with_a_new_member(tmp_path: Path) -> None:
    one = group(tmp_path, "constant:initial_replicas=2", "crash@5s")
    assert one.turn(4.9) is None
    wish = one.counts.due(7 + 5 * SECOND, 2)
    assert wish is not None
    assert (wish.slots, wish.killed) == (frozenset({1}), 0)
    one.have(-1, -1, 1, 1)
    assert one.counts.answer([1]) == {1: [0, 1, 2, 3]}
    one.have(1, 1, 1, 1)
    assert one.turn(10.9) is None
    assert one.turn(11.0) == {0, 1}
    assert one.turn(11.5) is None
    assert one.counts.answer([0, 1]) == {0: [0, 1], 1: [2, 3]}
    one.have(0, 0, 1, 1)
    assert one.turn(12.0) is None
    assert [(e["slots"], e["killed"]) for e in one.said("incident")] == [([1], 0), ([0, 1], None)]


def test_answers_of_the_strategy_wait_and_are_carried_out_afterwards(tmp_path: Path) -> None:
    one = group(tmp_path, "linear:initial_replicas=2", "crash@0.5s")
    assert one.turn(0.5) == {1}
    # At 1 s linear wants one member for 80 records/s.
    for time_s in (1.0, 3.0, 6.4):
        assert one.turn(time_s) is None
    assert one.turn(6.5) == {0, 1}
    one.counts.answer([0, 1])
    one.have(0, 0, 1, 1)
    assert one.turn(7.0) == {0}


def test_no_member_is_asked_to_join_again_while_one_is_missing(tmp_path: Path) -> None:
    """That rebalance would wait for the missing one, and all of the group with it."""
    one = group(tmp_path, "constant:initial_replicas=2", "crash@1s")
    one.have(-1, -1, 1, 1)
    for tenth in range(10, 400):
        one.turn(tenth / 10)
    assert type(one.counts._server).rejoins == 0  # type: ignore[attr-defined]


def test_members_stand_still_by_the_clock_of_the_run(tmp_path: Path) -> None:
    group(tmp_path, "constant:initial_replicas=2", "outage@5s:10s")
    member = Standstill(tmp_path, expected=True)
    assert [member.holds(7 + k * SECOND) for k in (4, 5, 14, 15)] == [False, True, True, False]


def test_events_are_among_the_settings_of_all_processes(tmp_path: Path) -> None:
    own: LiveSettings = short_settings(group_events=("crash@5s",), consumer_rate=MU)
    own.save(tmp_path / "settings.json")
    assert load(tmp_path / "settings.json") == own
