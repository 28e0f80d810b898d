"""A consumer begins and stops each tenure once, however often it is asked."""

from __future__ import annotations

import random

import pytest

from live.protocol.consumer_duty import ConsumerDuty, Task
from live.protocol.messages import (
    Beat,
    Bye,
    Command,
    End,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Started,
    Stop,
    Stopped,
)

pytestmark = pytest.mark.unit


def start(*rows: tuple[int, int, int], plan: int = 1, incarnation: int = 2) -> Start:
    return Start(incarnation, plan, tuple(PartitionOffset(*row) for row in rows))


def stop(*rows: tuple[int, int], plan: int = 1, incarnation: int = 2) -> Stop:
    return Stop(incarnation, plan, tuple(PartitionEpoch(*row) for row in rows))


@pytest.fixture
def duty() -> ConsumerDuty:
    """Of slot 3, whose second process owns partitions 0 and 4."""
    duty = ConsumerDuty(3, 2)
    duty.answer(duty.apply(start((0, 1, 10), (4, 7, 20))))
    return duty


def test_a_start_assigns_and_is_answered() -> None:
    duty = ConsumerDuty(3, 2)
    task = duty.apply(start((0, 1, 10), (4, 7, 20), plan=5))
    assert task.assign == (PartitionOffset(0, 1, 10), PartitionOffset(4, 7, 20))
    assert task.unassign == ()
    answer = Started(3, 2, 5, (PartitionEpoch(0, 1), PartitionEpoch(4, 7)))
    assert duty.answer(task) == answer
    assert duty.owned == {0: 1, 4: 7}
    assert duty.beat(processed=9) == Beat(3, 2, {0: 1, 4: 7}, 9)


def test_a_repeated_start_is_answered_without_assigning(duty: ConsumerDuty) -> None:
    task = duty.apply(start((4, 7, 20), plan=6))
    assert (task.assign, task.unassign) == ((), ())
    assert duty.answer(task) == Started(3, 2, 6, (PartitionEpoch(4, 7),))


def test_a_repeated_start_with_a_new_partition_assigns_that_one(duty: ConsumerDuty) -> None:
    task = duty.apply(start((4, 7, 20), (5, 1, 0)))
    assert task.assign == (PartitionOffset(5, 1, 0),)
    assert duty.answer(task) == Started(3, 2, 1, (PartitionEpoch(4, 7), PartitionEpoch(5, 1)))


def test_a_stop_unassigns_and_is_answered_with_the_next_offset(duty: ConsumerDuty) -> None:
    task = duty.apply(stop((4, 7)))
    assert task.unassign == (4,)
    assert duty.owned == {0: 1}
    answer = Stopped(3, 2, 1, (PartitionOffset(4, 7, 33),))
    assert duty.answer(task, {0: 12, 4: 33}) == answer


def test_a_repeated_stop_repeats_the_answer(duty: ConsumerDuty) -> None:
    duty.answer(duty.apply(stop((4, 7))), {4: 33})
    task = duty.apply(stop((4, 7), (0, 1), plan=2))
    assert task.unassign == (0,)
    rows = (PartitionOffset(4, 7, 33), PartitionOffset(0, 1, 12))
    assert duty.answer(task, {0: 12, 4: 99}) == Stopped(3, 2, 2, rows)


def test_a_stop_that_was_not_answered_is_answered_the_next_time(duty: ConsumerDuty) -> None:
    duty.apply(stop((4, 7)))
    task = duty.apply(stop((4, 7)))
    assert task.unassign == ()
    with pytest.raises(ValueError, match="partition 4 has stopped"):
        duty.answer(task)
    answer = Stopped(3, 2, 1, (PartitionOffset(4, 7, 33),))
    assert duty.answer(task, {4: 33}) == answer


def test_a_tenure_that_stopped_never_begins_again(duty: ConsumerDuty) -> None:
    duty.answer(duty.apply(stop((4, 7))), {4: 33})
    task = duty.apply(start((4, 7, 20)))
    assert (task.assign, duty.answer(task)) == ((), None)
    assert duty.owned == {0: 1}


def test_the_partition_can_come_back_with_a_later_epoch(duty: ConsumerDuty) -> None:
    duty.answer(duty.apply(stop((4, 7))), {4: 33})
    task = duty.apply(start((4, 9, 40)))
    assert task.assign == (PartitionOffset(4, 9, 40),)
    assert duty.owns(4, 9)
    assert not duty.owns(4, 7)


@pytest.mark.parametrize("command", [start((4, 6, 0)), stop((4, 6)), stop((4, 8)), stop((5, 1))])
def test_other_epochs_have_no_effect(duty: ConsumerDuty, command: Command) -> None:
    task = duty.apply(command)
    assert task == Task(command)
    assert duty.answer(task) is None
    assert duty.owned == {0: 1, 4: 7}


def test_a_later_start_replaces_a_tenure(duty: ConsumerDuty) -> None:
    task = duty.apply(start((4, 8, 50)))
    assert (task.unassign, task.assign) == ((4,), (PartitionOffset(4, 8, 50),))
    assert duty.owned == {0: 1, 4: 8}


@pytest.mark.parametrize(
    "command",
    [start((5, 1, 0), incarnation=1), stop((4, 7), incarnation=3), End(1)],
)
def test_commands_for_others_are_skipped(duty: ConsumerDuty, command: Command) -> None:
    task = duty.apply(command)
    assert task == Task(command, skipped=True)
    assert duty.answer(task) is None
    assert duty.owned == {0: 1, 4: 7}


def test_the_end(duty: ConsumerDuty) -> None:
    task = duty.apply(End(2))
    assert task.ends
    assert task.unassign == (0, 4)
    assert duty.answer(task) == Bye(3, 2)
    assert duty.owned == {}
    assert duty.apply(start((5, 1, 0))).assign == ()


@pytest.mark.parametrize("seed", range(20))
def test_commands_read_again_from_the_start_change_nothing(seed: int) -> None:
    choose = random.Random(seed)
    commands: list[Command] = []
    for epoch in range(1, 8):
        p = choose.randrange(3)
        commands += [start((p, epoch, epoch)), stop((p, epoch))]
    commands = commands[: choose.randrange(1, len(commands))]
    duty = ConsumerDuty(3, 2)
    for command in commands:
        duty.answer(duty.apply(command), {0: 5, 1: 6, 2: 7})
    before = duty.owned
    for command in commands:
        task = duty.apply(command)
        assert (task.assign, task.unassign) == ((), ())
        duty.answer(task, {})
    assert duty.owned == before
