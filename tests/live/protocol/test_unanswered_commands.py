"""A consumer that gives signs of life but does not answer is lost after a lease."""

from __future__ import annotations

import pytest

from live.protocol.group_knowledge import Status
from live.protocol.messages import End, Start, Stop
from tests.live.protocol.group_desk import GroupDesk, ends, starts, stops
from tests.live.protocol.test_group_protocol import desk

pytestmark = pytest.mark.unit

LEASE_S = 10.0


def lost_after(
    g: GroupDesk, *alive: int, most: int = 20
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Seconds of beats without an answer until somebody is lost, and who."""
    for second in range(1, most + 1):
        g.now += 1
        fences = g.beat(*alive).fences
        if fences:
            return second, fences
    return most, ()


def asked_to_stop() -> GroupDesk:
    g = desk([0, 1], lease_s=LEASE_S)
    g.group.plan([1, 1], g.now)
    assert stops(g.due()) == {0: [0]}
    return g


def test_an_unanswered_stop() -> None:
    g = asked_to_stop()
    assert lost_after(g, 0, 1) == (10, ((0, 1),))
    # It was asked again meanwhile.
    assert sum(isinstance(command, Stop) for _, command in g.commands) > 1
    g.group.fenced(0, 1, {0: 7}, g.now)
    assert starts(g.due())[1][0].offset == 7


def test_an_unanswered_start() -> None:
    g = GroupDesk(2, lease_s=LEASE_S)
    g.group.plan([0, 1], g.now)
    g.due()
    g.hello(0)
    g.answer(g.hello(1))
    assert lost_after(g, 0, 1) == (10, ((0, 1),))
    assert g.group.orphans == [0]


def test_an_unanswered_end() -> None:
    g = desk([0, 1], lease_s=LEASE_S)
    g.group.plan([1, 1], g.now)
    actions = g.answer(g.answer(g.due()))
    assert ends(actions) == [(0, 1)]
    assert lost_after(g, 0, 1) == (10, ((0, 1),))
    assert sum(isinstance(command, End) for _, command in g.commands) > 1
    assert g.group.owners == [1, 1]


def test_a_start_that_a_consumer_does_not_know_any_more_counts_from_its_command() -> None:
    g = desk([0, 1], lease_s=LEASE_S, resend_s=1.0)
    g.now += 60
    assert g.beat(0, 1).fences == ()
    g.duties[0]._tenures.clear()
    assert lost_after(g, 0, 1) == (11, ((0, 1),))
    assert any(isinstance(command, Start) for _, command in g.commands)


def test_an_answer_in_time_counts() -> None:
    g = desk([0, 1], lease_s=LEASE_S)
    g.group.plan([1, 1], g.now)
    stopping = g.due()
    assert lost_after(g, 0, 1, most=9) == (9, ())
    starting = g.answer(stopping)
    assert starts(starting)
    # The command to start has a lease of its own.
    assert lost_after(g, 0, 1, most=9) == (9, ())
    g.answer(starting)
    assert g.group.owners == [1, 1]
    assert lost_after(g, 0, 1) == (10, ((0, 1),))


def test_a_consumer_may_finish_its_cycle_first() -> None:
    g = desk([0, 1], lease_s=LEASE_S, cycle_s=3.0)
    g.group.plan([1, 1], g.now)
    g.due()
    assert lost_after(g, 0, 1) == (13, ((0, 1),))


def test_the_time_in_which_the_broker_is_silent_does_not_count() -> None:
    g = asked_to_stop()
    g.now += 4
    g.beat(0, 1)
    g.group.broker_silent(g.now)
    for _ in range(12):
        g.now += 4
        assert g.due().fences == ()
    g.group.broker_answers(g.now)
    assert lost_after(g, 0, 1) == (10, ((0, 1),))


def test_a_successor_gives_a_lease_of_its_own() -> None:
    g = asked_to_stop()
    assert lost_after(g, 0, 1, most=9) == (9, ())
    g.succeed()
    assert stops(g.due()) == {0: [0]}
    assert lost_after(g, 0, most=9) == (9, ())
    assert g.group.consumers[0] == (1, Status.READY)
    g.now += 2
    assert (0, 1) in g.due().fences
