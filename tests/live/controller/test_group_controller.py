"""What the controller does with what its protocol says, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.assignment import registry
from algorithms.workloads import random_walk
from live.consumer import progress_record
from live.controller.group_controller import ANSWER_S, LaunchFailed
from live.controller.live_decisions import GivenRates
from live.controller.live_strategy import LiveStrategy
from live.controller.transactions import BrokerSilent, Fenced
from live.protocol.messages import End, PartitionOffset, Start
from tests.live.controller.controller_fakes import SECOND, World

pytestmark = pytest.mark.unit

LEASE_S = 10.0


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch, lease_s=LEASE_S)


def offsets_started(world: World) -> dict[int, tuple[int, int]]:
    """Consumer and offset of the partitions that were commanded to start since."""
    return {
        row.partition: (consumer, row.offset)
        for consumer, command in world.commands
        if isinstance(command, Start)
        for row in command.partitions
    }


def test_the_launcher_is_asked_once_the_plan_is_committed(world: World) -> None:
    world.wanted, world.slow_s = [0, 1], 0.5
    began_s = world.now_s
    world.turn()
    assert world.done == [("commit",), ("launch", 0, 1), ("launch", 1, 1)]
    (plan,) = world.controller._group.plans
    # What Δt2 ends with is after the transaction.
    assert [launch.asked_s for launch in plan.launches] == [pytest.approx(began_s + 0.51)] * 2


def test_consumers_get_partitions_as_they_become_ready(world: World) -> None:
    world.work([0, 1])
    assert world.controller._group.owners == [0, 1]
    world.work([0, 0])
    assert world.controller._group.owners == [0, 0]


def test_lost_ones_are_killed_then_fenced_and_their_progress_read_last(world: World) -> None:
    world.work([0, 1])
    world.progress = {b"1": progress_record.value(PartitionOffset(1, 1, 70))}
    world.ended = [(0, 1, -9), (1, 1, -9)]
    world.turn()
    assert world.done[:7] == [
        ("commit",),
        ("kill", 0, 1),
        ("kill", 1, 1),
        ("reap", (0, 1), (1, 1)),
        ("fence", "gs.r.c0"),
        ("fence", "gs.r.c1"),
        "read progress",
    ]
    assert world.faults() == [
        *(("exited", 0), ("exited", 1)),
        *(("lost", 0), ("lost", 1)),
        *(("fenced", 0), ("fenced", 1)),
    ]


def test_partitions_of_a_lost_one_start_at_its_progress_in_the_next_turn(world: World) -> None:
    world.work([0, 1])
    world.progress = {b"1": progress_record.value(PartitionOffset(1, 1, 70))}
    world.ended = [(1, 1, -9)]
    world.turn()
    world.turn()
    assert offsets_started(world) == {1: (0, 70)}


def test_an_open_transaction_of_another_silent_one_holds_up_no_lease(world: World) -> None:
    world.work([0, 1])
    world.is_hidden = True
    world.ended = [(1, 1, -9)]
    for _ in range(12):
        world.turn(1.0)
    assert world.faults() == [("exited", 1), ("lost", 1), ("lost", 0)]
    assert [one for one in world.done if one[0] == "fence"] == [
        ("fence", "gs.r.c1"),
        ("fence", "gs.r.c0"),
    ]
    # Fencing has aborted the transaction.
    world.is_hidden = False
    world.turn()
    assert world.faults()[3:] == [("fenced", 0), ("fenced", 1)]


def test_one_that_takes_its_slot_over_as_it_is_fenced_does_not_end_the_controller(
    world: World,
) -> None:
    """A process that was killed in vain may just be starting: another fence is needed."""
    world.work([0, 1])
    world.refused = {"gs.r.c1"}
    world.ended = [(1, 1, -9)]
    with pytest.raises(BrokerSilent, match=r"gs\.r\.c1"):
        world.turn()
    assert ("fenced", 1) not in world.faults()


def test_one_that_cannot_be_killed_is_fenced_all_the_same(world: World) -> None:
    world.work([0, 1])
    world.reaps = False
    world.ended = [(1, 1, -9)]
    world.turn()
    assert ("fence", "gs.r.c1") in world.done
    assert ("fenced", 1) in world.faults()


def test_a_consumer_that_does_not_start_ends_the_controller(world: World) -> None:
    world.wanted = [0, 0]
    world.turn()
    for incarnation in (1, 2):
        world.ended = [(0, incarnation, 1)]
        world.turn()
        world.turn()
    world.ended = [(0, 3, 1)]
    with pytest.raises(LaunchFailed, match="consumer 0 does not start"):
        world.turn()
    assert [step for step in world.done if step[0] == "launch"] == [
        ("launch", 0, incarnation) for incarnation in (1, 2, 3)
    ]


def test_invalid_progress_is_noted_and_left_out(world: World) -> None:
    world.work([0, 1])
    world.progress = {
        b"0": progress_record.value(PartitionOffset(0, 1, 30)),
        b"1": b"nonsense",
        b"7": progress_record.value(PartitionOffset(7, 1, 99)),
    }
    world.ended = [(0, 1, -9), (1, 1, -9)]
    world.turn()
    invalid = [entry for what, entry in world.said if what == "invalid"]
    assert [(entry["number"], entry["topic"]) for entry in invalid] == [
        (1, "gs.r.progress"),
        (2, "gs.r.progress"),
    ]
    assert [p.offset for p in world.controller._group._state.partitions] == [30, 0]


def test_a_controller_that_recovers_looks_for_a_newer_one_before_it_takes_over(
    world: World,
) -> None:
    world.work([0, 1])
    world.recover()
    assert world.done == ["look at state", ("fence", "gs.r.controller"), "read state"]
    assert world.controller._group.epochs == [1, 1]


def test_a_newer_controller_is_not_fenced_by_one_that_recovers(world: World) -> None:
    world.work([0, 1])
    world.state[b"controller/0"] = b'{"v":1,"holder":"newer"}'
    with pytest.raises(Fenced):
        world.recover()
    assert world.done == ["look at state"]


def test_messages_that_are_no_events_are_rejected(world: World) -> None:
    world.arriving = [End(1)]
    world.turn()
    assert world.said == [("invalid", {"message": "end: not an event"})]


def test_consumers_that_are_silent_are_lost_if_the_broker_answers(world: World) -> None:
    world.work([0, 1])
    for _ in range(11):
        world.arriving = world.beats()[:1]
        world.turn(1.0)
    assert "ask" in world.done
    assert world.faults() == [("lost", 1), ("fenced", 1)]


def test_nobody_is_lost_while_the_broker_hangs(world: World) -> None:
    """It keeps its connections, so that no error is reported."""
    world.work([0, 1])
    world.answers = False
    for _ in range(40):
        world.turn(1.0)
    assert world.faults() == []
    # It answers again, and gives each consumer a lease of its own.
    world.answers = True
    world.turn()
    assert not world.is_silent
    for _ in range(9):
        world.turn(1.0)
    assert world.faults() == []
    for _ in range(3):
        world.turn(1.0)
    assert world.faults() == [("lost", 0), ("lost", 1), ("fenced", 0), ("fenced", 1)]


def test_a_broker_that_hangs_is_asked_again_and_again(world: World) -> None:
    world.work([0, 1])
    world.answers = False
    while not world.is_silent:
        world.turn(1.0)
    world.done.clear()
    began_s = world.now_s
    for _ in range(5):
        world.turn()
    assert world.done.count("ask") == 5
    assert world.now_s - began_s == pytest.approx(5 * (ANSWER_S + 0.01))


def test_beats_that_only_the_broker_has_count(world: World) -> None:
    world.work([0, 1])
    for _ in range(9):
        world.turn(1.0)
    world.on_broker = world.beats()
    for _ in range(3):
        world.turn(1.0)
    assert "ask" in world.done
    assert world.faults() == []


def test_a_broker_that_held_up_a_transaction_gets_time_to_deliver(world: World) -> None:
    world.work([0, 1])
    world.arriving = world.beats()
    world.turn()
    # It hangs for 9.9 s from here: the transaction of every half lease waits for it.
    world.turn(4.0)
    world.slow_s = 4.9
    world.turn(1.1)
    world.turn(0.9)
    assert world.faults() == []
    world.arriving = world.beats()
    world.turn(0.9)
    world.turn(3.0)
    assert world.faults() == []


def test_a_consumer_that_does_not_start_ends_the_run_though_others_could_take_over(
    world: World,
) -> None:
    """At its third end, not when a later plan wants it once more."""
    world.work([0, 1])
    world.wanted = [2, 1]
    world.turn()
    for incarnation in (1, 2):
        world.ended = [(2, incarnation, 1)]
        world.turn()
        world.turn()
        assert ("launch", 2, incarnation + 1) in world.done
    world.ended = [(2, 3, 1)]
    with pytest.raises(LaunchFailed, match="consumer 2 does not start"):
        world.turn()
    # Its partition has waited where it was.
    assert world.controller._group.owners == [0, 1]


def test_a_consumer_lost_as_the_run_ends_does_not_keep_it_from_ending(world: World) -> None:
    world.work([0, 1])
    world.controller.end()
    world.ended = [(1, 1, -9)]
    for _ in range(10):
        world.turn()
        world.obey()
    assert [e["wanted"] for what, e in world.said if what == "iteration"][-1] == (-1, -1)
    assert ("commit", "end") in world.done


@settings(max_examples=25)
@given(
    st.sampled_from(["NF", "WFD", "MWF", "MBFP", "SR_1", "kd_1"]),
    st.integers(0, 2**32),
    st.integers(1, 6),
)
def test_without_faults_owners_are_the_simulated_ones_after_each_iteration(
    name: str, seed: int, partitions: int
) -> None:
    rates = random_walk.generate(partitions, 5, 40.0, 1.0, None, seed)
    simulated = registry.get(name).assign(rates, 1.0, seed)
    with pytest.MonkeyPatch.context() as patch:
        world = World(patch, partitions=partitions, iterations=5, seed=seed)
        strategy = LiveStrategy(name, partitions, 1.0, seed)
        world.controller._decisions = GivenRates(strategy, rates.tolist(), world.settings)
        began_s = world.now_s
        for k, owners in enumerate(simulated.tolist()):
            world.now_s = began_s + k * world.settings.iteration_s
            for _ in range(12):
                world.arriving += world.beats()
                world.controller.turn(round(began_s * SECOND))
                world.greet()
                world.obey()
            assert world.controller.is_settled
            assert world.controller._group.owners == owners


def test_partitions_of_a_users_topic_begin_where_its_group_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, data_topic="orders", first_offsets=(4, 70))
    world.wanted = [0, 1]
    world.turn()
    world.greet()
    world.turn()
    assert offsets_started(world) == {0: (0, 4), 1: (1, 70)}


def test_a_controller_that_recovers_does_not_go_back_to_the_first_offsets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(monkeypatch, lease_s=LEASE_S, data_topic="orders", first_offsets=(4, 2))
    world.work([0, 1])
    world.work([0, 0])
    world.recover()
    world.turn()
    # Consumers of these tests stop at offset 5.
    assert offsets_started(world)[1] == (0, 5)
