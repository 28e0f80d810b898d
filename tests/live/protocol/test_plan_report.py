"""What a plan's report says of its times and moves."""

from __future__ import annotations

import pytest

from live.protocol.plan_report import NOBODY
from tests.live.protocol.group_desk import GroupDesk, stopped
from tests.live.protocol.test_group_protocol import desk

pytestmark = pytest.mark.unit


def test_times_of_the_first_plan() -> None:
    g = GroupDesk(2)
    plan = g.group.plan([0, 1], 1.0, reason="iteration", iteration=0)
    assert (plan.number, plan.decided_s, plan.reason, plan.iteration) == (1, 1.0, "iteration", 0)
    assert [(launch.consumer, launch.asked_s) for launch in plan.launches] == [(0, None), (1, None)]
    g.now = 2.0
    g.due()
    assert [launch.asked_s for launch in plan.launches] == [2.01, 2.01]
    assert (plan.first_command_s, plan.completed_s) == (None, None)
    g.now = 3.0
    actions = g.hello(1)
    assert plan.launches[1].ready_s == 3.0
    assert plan.first_command_s == 3.01
    g.now = 4.0
    g.answer(actions)
    assert plan.last_started_s == 4.0
    g.now = 5.0
    actions = g.hello(0)
    g.now = 6.0
    g.answer(actions)
    assert plan.first_command_s == 3.01
    assert plan.last_started_s == 6.0
    assert plan.completed_s == 6.01


def test_times_of_a_move() -> None:
    g = desk([0, 1])
    plan = g.group.plan([1, 1], g.now)
    g.now = 2.0
    g.due()
    g.now = 3.0
    g.group.heard(stopped(0, 0, 1, 70), g.now)
    g.now = 4.0
    actions = g.due()
    g.now = 5.0
    g.answer(actions)
    (move,) = plan.moves
    assert (move.partition, move.source, move.target) == (0, 0, 1)
    assert (move.epoch, move.offset) == (2, 70)
    assert (move.stop_s, move.stopped_s, move.start_s, move.started_s) == (2.01, 3.0, 4.01, 5.0)
    assert plan.move_of(0, 2) is move
    assert plan.move_of(0, 3) is None


def test_the_commit_ends_the_decision() -> None:
    g = desk([0, 1])
    plan = g.group.plan([1, 1], 2.0)
    g.group.due(3.0)
    assert plan.first_command_s is None
    g.group.committed(3.5)
    g.group.due(4.0)
    g.group.committed(4.5)
    assert plan.first_command_s == 3.5


def test_a_launch_is_timed_when_the_launcher_is_asked_and_once() -> None:
    g = GroupDesk(1)
    plan = g.group.plan([0], 1.0)
    g.group.due(2.0)
    g.group.committed(3.0)
    g.group.launched(0, 1, 3.5)
    g.group.launched(0, 1, 4.0)
    g.group.launched(0, 2, 4.0)
    (launch,) = plan.launches
    assert (launch.asked_s, launch.ready_s) == (3.5, None)


def test_a_successor_times_a_launch_that_may_not_have_been_asked_for() -> None:
    g = GroupDesk(1)
    g.group.plan([0], g.now)
    g.records.update(g.group.due(1.0).records)
    g.succeed()
    g.now = 2.0
    assert g.due().launches == ((0, 1),)
    assert g.group.plans[0].launches[0].asked_s == 2.01


def test_moves_count_starts() -> None:
    g = desk([0, 1, 1])
    assert [(m.source, m.target) for m in g.group.plans[0].moves] == [
        (NOBODY, 0),
        (NOBODY, 1),
        (NOBODY, 1),
    ]
    g.group.exited(1, 1, g.now)
    g.group.fenced(1, 1, {1: 5}, g.now)
    plan = g.group.plan([0, 0, 0], g.now)
    g.answer(g.due())
    assert [(m.source, m.target, m.offset) for m in plan.moves] == [(1, 0, 5), (1, 0, 0)]
    assert sum(len(plan.moves) for plan in g.group.plans) == sum(g.group.epochs)


def test_a_plan_without_changes_is_complete_at_once() -> None:
    g = desk([0, 1])
    plan = g.group.plan([0, 1], g.now)
    assert g.due().commands == ()
    assert plan.completed_s == g.now
    assert (plan.moves, plan.last_started_s, plan.first_command_s) == ([], None, None)
