"""The controller's protocol, turn by turn."""

from __future__ import annotations

import pytest

from live.protocol.group_knowledge import Status
from live.protocol.group_protocol import GroupProtocol, PlanRunning, ProtocolSettings
from live.protocol.messages import (
    Beat,
    Bye,
    End,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Started,
    Stop,
)
from live.protocol.plan_report import NOBODY
from tests.live.protocol.group_desk import GroupDesk, ends, starts, stopped, stops

pytestmark = pytest.mark.unit


def desk(owners: list[int], **settings: float) -> GroupDesk:
    """A group in which each partition is where it is wanted."""
    group = GroupDesk(len(owners), **settings)
    group.settle(owners)
    return group


def test_a_plan_launches_what_is_missing() -> None:
    g = GroupDesk(3)
    g.group.plan([4, 4, 2], g.now)
    actions = g.due()
    assert actions.launches == ((2, 1), (4, 1))
    assert actions.commands == ()
    assert actions.needs_transaction
    assert g.group.consumers == {2: (1, Status.ASKED), 4: (1, Status.ASKED)}
    assert g.due().launches == ()


def test_partitions_start_as_their_consumers_become_ready() -> None:
    g = GroupDesk(3)
    g.group.plan([4, 4, 2], g.now)
    g.due()
    actions = g.hello(4)
    assert starts(actions) == {4: (PartitionOffset(0, 1, 0), PartitionOffset(1, 1, 0))}
    assert g.group.owners == [NOBODY] * 3
    assert g.answer(actions).commands == ()
    assert (g.group.owners, g.group.is_settled) == ([4, 4, NOBODY], False)
    g.answer(g.hello(2))
    assert (g.group.owners, g.group.is_settled) == ([4, 4, 2], True)
    assert g.group.epochs == [1, 1, 1]


def test_partitions_begin_where_the_caller_says() -> None:
    group = GroupProtocol(ProtocolSettings(2), 0.0, offsets={1: 70})
    group.plan([0, 0], 0.0)
    group.due(0.0)
    group.heard(Beat(0, 1, {}, 0), 0.0)
    rows = (PartitionOffset(0, 1, 0), PartitionOffset(1, 1, 70))
    assert group.due(0.0).commands == ((0, Start(1, 1, rows)),)


def test_a_move_stops_before_it_starts() -> None:
    g = desk([0, 0, 1])
    g.group.plan([0, 1, 1], g.now)
    actions = g.due()
    assert actions.commands == ((0, Stop(1, 2, (PartitionEpoch(1, 1),))),)
    assert g.due().commands == ()
    actions = g.answer(actions, at=33)
    assert actions.commands == ((1, Start(1, 2, (PartitionOffset(1, 2, 33),))),)
    g.answer(actions)
    assert g.group.owners == [0, 1, 1]


def test_moves_are_independent() -> None:
    g = desk([0, 1])
    g.group.plan([1, 0], g.now)
    assert stops(g.due()) == {0: [0], 1: [1]}
    g.group.heard(stopped(0, 0, 1, 10), g.now)
    actions = g.due()
    assert starts(actions) == {1: (PartitionOffset(0, 2, 10),)}
    g.group.heard(stopped(1, 1, 1, 20), g.now)
    assert starts(g.due()) == {0: (PartitionOffset(1, 2, 20),)}


def test_a_partition_stays_where_it_is_until_its_target_is_ready() -> None:
    g = desk([0, 0, 1])
    g.group.plan([1, 7, 1], g.now)
    actions = g.due()
    assert stops(actions) == {0: [0]}
    g.answer(actions)
    assert g.group.owners == [NOBODY, 0, 1]
    assert stops(g.hello(7)) == {0: [1]}


def test_the_order_decides_what_comes_first() -> None:
    g = desk([0, 0, 1, 1])
    g.group.plan([2, 2, 2, 2], g.now, order=[3, 1])
    g.due()
    actions = g.hello(2)
    assert [consumer for consumer, _ in actions.commands] == [1, 0]
    assert stops(actions) == {1: [3, 2], 0: [1, 0]}


def test_idle_consumers_are_retired_once_the_plan_is_complete() -> None:
    g = desk([0, 1, 2])
    g.group.plan([0, 0, 2], g.now)
    actions = g.answer(g.due())
    assert ends(actions) == []
    actions = g.answer(actions)
    assert ends(actions) == [(1, 1)]
    assert actions.commands == ((1, End(1)),)
    assert g.group.consumers[1] == (1, Status.LEAVING)
    g.answer(actions)
    assert g.group.consumers[1] == (1, Status.GONE)
    assert not g.group.exited(1, 1, g.now)


def test_no_consumer_that_is_wanted_is_retired() -> None:
    g = desk([0, 0])
    g.group.plan([1, 0], g.now)
    g.due()
    actions = g.hello(1)
    assert ends(actions) == []
    assert ends(g.answer(actions)) == []


def test_spare_consumers_are_kept() -> None:
    g = desk([0, 1, 2], spare=1)
    g.group.plan([2, 2, 2], g.now)
    actions = g.answer(g.answer(g.due()))
    assert ends(actions) == [(1, 1)]
    assert g.group.consumers[0] == (1, Status.READY)
    # They end with the group.
    g.group.plan([NOBODY] * 3, g.now)
    assert ends(g.answer(g.due())) == [(0, 1), (2, 1)]


def test_a_consumer_that_leaves_is_launched_again_once_it_has_left() -> None:
    g = desk([0, 1])
    g.group.plan([0, 0], g.now)
    actions = g.answer(g.answer(g.due()))
    assert ends(actions) == [(1, 1)]
    g.group.plan([0, 1], g.now)
    assert g.due().launches == ()
    assert g.answer(actions).launches == ((1, 2),)


def test_a_partition_may_be_left_without_an_owner() -> None:
    g = desk([0, 0])
    g.group.plan([0, NOBODY], g.now)
    g.answer(g.due(), at=5)
    assert g.group.is_settled
    assert g.group.owners == [0, NOBODY]
    assert [(m.source, m.target, m.offset) for m in g.group.plans[-1].moves] == [(0, NOBODY, 5)]
    g.group.plan([0, 0], g.now)
    assert starts(g.due()) == {0: (PartitionOffset(1, 2, 5),)}


def test_a_plan_that_is_not_complete_is_not_replaced() -> None:
    g = desk([0, 1])
    g.group.plan([1, 0], g.now)
    assert not g.group.may_plan
    with pytest.raises(PlanRunning):
        g.group.plan([0, 0], g.now)


@pytest.mark.parametrize("owners", [[0], [0, 50], [0, -2]])
def test_plans_are_checked(owners: list[int]) -> None:
    with pytest.raises(ValueError, match="got"):
        GroupDesk(2).group.plan(owners, 0.0)
    with pytest.raises(ValueError, match="order"):
        GroupDesk(2).group.plan([0, 0], 0.0, order=[2])


# Consumers that are lost.


def test_a_process_that_ended_is_fenced_before_its_partitions_move() -> None:
    g = desk([0, 0, 1])
    assert g.group.exited(0, 1, g.now)
    assert g.group.orphans == [0, 1]
    assert g.group.owners == [NOBODY, NOBODY, 1]
    actions = g.due()
    assert actions.fences == ((0, 1),)
    assert actions.commands == ()
    assert g.group.may_plan
    g.group.plan([1, 1, 1], g.now)
    assert g.due().commands == ()
    assert g.group.fenced(0, 1, {0: 12, 2: 99}, g.now)
    assert starts(g.due()) == {1: (PartitionOffset(0, 2, 12), PartitionOffset(1, 2, 0))}
    assert not g.group.fenced(0, 1, {0: 14}, g.now)


def test_a_lost_consumer_is_launched_again_unless_it_is_planned_otherwise() -> None:
    g = desk([0, 1])
    g.group.exited(0, 1, g.now)
    assert g.due().launches == ()
    g.group.fenced(0, 1, {0: 12}, g.now)
    assert g.due().launches == ((0, 2),)
    assert starts(g.hello(0, incarnation=2)) == {0: (PartitionOffset(0, 2, 12),)}


def test_a_partition_whose_owner_is_lost_while_it_stops() -> None:
    g = desk([0, 1])
    g.group.plan([1, 1], g.now)
    g.due()
    g.group.exited(0, 1, g.now)
    g.due()
    # The answer was under way: what counts is the progress that is read after fencing.
    assert not g.group.heard(stopped(0, 0, 1, 44), g.now)
    g.group.fenced(0, 1, {0: 44}, g.now)
    assert starts(g.due()) == {1: (PartitionOffset(0, 2, 44),)}


def test_a_consumer_without_signs_of_life_is_lost_after_a_lease() -> None:
    g = desk([0, 1], lease_s=10.0)
    start = g.now
    for second in range(1, 12):
        g.now = start + second
        fences = g.beat(1).fences
        assert fences == (() if second < 10 else ((0, 1),))
    assert not g.group.heard(Beat(0, 1, {0: 1}, 0), g.now)
    assert g.group.lost_consumers(g.now) == [(0, 1)]


def test_no_lease_runs_while_the_broker_is_silent() -> None:
    g = desk([0], lease_s=10.0)
    g.group.broker_silent(g.now)
    for _ in range(30):
        g.now += 1
        assert g.due().fences == ()
    g.group.broker_answers(g.now)
    g.now += 4
    assert g.due().fences == ()
    g.now += 4
    assert g.due().fences == ()
    g.now += 4
    assert g.due().fences == ((0, 1),)


def test_no_lease_runs_out_while_the_controller_stood_still() -> None:
    g = desk([0], lease_s=10.0)
    g.now += 60
    assert g.due().fences == ()


def test_a_consumer_that_never_becomes_ready_is_tried_three_times() -> None:
    g = GroupDesk(2, launch_s=30.0, lease_s=100.0)
    g.group.plan([0, 1], g.now)
    assert g.due().launches == ((0, 1), (1, 1))
    g.answer(g.hello(1))
    for incarnation in (1, 2, 3):
        assert g.group.orphans == []
        g.now += 31
        assert g.beat(1).fences == ((0, incarnation),)
        g.group.fenced(0, incarnation, {}, g.now)
        actions = g.due()
        assert actions.launches == (() if incarnation == 3 else ((0, incarnation + 1),))
        assert actions.failed == ((0,) if incarnation == 3 else ())
    assert g.group.owners == [NOBODY, 1]
    assert g.group.orphans == [0]
    g.group.plan([1, 1], g.now)
    assert g.due().failed == ()


def test_a_consumer_that_was_ready_has_all_tries_again() -> None:
    g = GroupDesk(1, tries=2)
    g.group.plan([0], g.now)
    g.due()
    for incarnation in range(1, 9, 2):
        g.group.exited(0, incarnation, g.now)
        g.group.fenced(0, incarnation, {}, g.now)
        assert g.due().launches == ((0, incarnation + 1),)
        g.answer(g.hello(0, incarnation=incarnation + 1))
        g.group.exited(0, incarnation + 1, g.now)
        g.group.fenced(0, incarnation + 1, {}, g.now)
        assert g.due().launches == ((0, incarnation + 2),)


def test_a_consumer_that_leaves_by_itself_is_fenced_if_it_owned_partitions() -> None:
    g = desk([0, 1])
    g.group.heard(Bye(0, 1), g.now)
    assert g.due().fences == ((0, 1),)
    assert g.group.owners == [NOBODY, 1]


def test_processes_that_come_back_are_ended() -> None:
    g = desk([0, 1])
    g.group.exited(0, 1, g.now)
    g.group.fenced(0, 1, {}, g.now)
    assert g.due().launches == ((0, 2),)
    assert not g.group.heard(Beat(0, 1, {0: 1}, 9), g.now)
    assert g.due().commands == ((0, End(1)),)
    assert g.due().commands == ()
    g.group.heard(Beat(0, 1, {0: 1}, 9), g.now)
    assert g.due().commands == ((0, End(1)),)


@pytest.mark.parametrize("incarnation", [1, 3])
def test_events_of_other_processes_do_not_count(incarnation: int) -> None:
    g = desk([0, 1])
    g.group.exited(0, 1, g.now)
    g.group.fenced(0, 1, {}, g.now)
    g.due()
    g.hello(0, incarnation=2)
    assert not g.group.heard(Started(0, incarnation, 1, (PartitionEpoch(0, 2),)), g.now)
    assert not g.group.exited(0, incarnation, g.now)
    assert not g.group.fenced(0, incarnation, {}, g.now)
    assert g.group.owners == [NOBODY, 1]


def test_answers_about_other_tenures_do_not_count() -> None:
    g = desk([0, 1], spare=1)
    g.group.plan([1, 1], g.now)
    g.answer(g.answer(g.due(), at=10))
    g.group.plan([0, 1], g.now)
    g.answer(g.answer(g.due(), at=20))
    g.group.plan([1, 1], g.now)
    assert stops(g.due()) == {0: [0]}
    # Of the first tenure of partition 0, and of one that does not exist.
    for event in (stopped(0, 0, 1, 10), stopped(0, 0, 4, 30), stopped(1, 0, 3, 30)):
        g.group.heard(event, g.now)
        assert g.due().commands == ()
    g.group.heard(stopped(0, 0, 3, 30), g.now)
    assert starts(g.due()) == {1: (PartitionOffset(0, 4, 30),)}
    for started in (Started(1, 1, 3, (PartitionEpoch(0, 2),)), Started(0, 1, 3, ())):
        g.group.heard(started, g.now)
        assert g.group.owners == [NOBODY, 1]
    g.group.heard(Started(1, 1, 3, (PartitionEpoch(0, 4),)), g.now)
    assert g.group.owners == [1, 1]


def test_partitions_out_of_range_are_ignored() -> None:
    g = desk([0])
    g.group.heard(stopped(0, 100, 1, 0), g.now)
    g.group.heard(Started(0, 1, 1, (PartitionEpoch(100, 1),)), g.now)
    assert g.group.owners == [0]


# Commands that are sent again.


def test_a_command_without_an_answer_is_sent_again() -> None:
    g = desk([0, 1], resend_s=5.0, lease_s=100.0)
    g.group.plan([1, 1], g.now)
    first = g.due()
    g.now += 4
    assert g.due().commands == ()
    g.now += 2
    again = g.due()
    assert again.commands == first.commands
    g.answer(first, at=9)
    # The second answer repeats the first.
    assert g.answer(again, at=11).commands == ()
    g.now += 6
    assert starts(g.due()) == {1: (PartitionOffset(0, 2, 9),)}


def test_a_consumer_that_does_not_know_what_it_owns_is_asked_again() -> None:
    g = desk([0, 1], resend_s=5.0)
    g.now += 6
    g.group.heard(Beat(0, 1, {}, 0), g.now)
    assert starts(g.due()) == {0: (PartitionOffset(0, 1, 0),)}


def test_a_controller_writes_at_least_twice_a_lease() -> None:
    g = desk([0], lease_s=10.0)
    assert not g.due().needs_transaction
    g.now += 4
    assert not g.beat(0).needs_transaction
    g.now += 2
    actions = g.beat(0)
    assert [key for key, _ in actions.records] == [b"controller/0"]
    assert not g.due().needs_transaction
