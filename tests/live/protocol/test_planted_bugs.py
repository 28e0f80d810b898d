"""The histories find bugs: each one planted here breaks an invariant, or the group never rests."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from live.protocol import group_events, group_steps
from live.protocol.consumer_duty import ConsumerDuty
from live.protocol.group_claim import GroupClaim
from live.protocol.group_knowledge import GroupState, Member
from live.protocol.group_protocol import GroupProtocol
from live.protocol.messages import Start
from tests.live.protocol.history_oracle import Broken
from tests.live.protocol.protocol_world import Scenario
from tests.live.protocol.simulated_kafka import (
    SimulatedKafka,
    SimulatedProducer,
    Transaction,
)
from tests.live.protocol.test_protocol_histories import KINDS, run

pytestmark = pytest.mark.unit

HISTORIES = 400
"""Most bugs are found in the first ten."""


def start_at_once(patch: pytest.MonkeyPatch) -> None:
    """The new owner starts without waiting for the old one to stop."""
    begin_stop = group_steps._begin_stop

    def begin(state: GroupState, orders: Any, partition: Any, consumer: int, now: float) -> None:
        begin_stop(state, orders, partition, consumer, now)
        state.free(partition, partition.offset, now)

    patch.setattr(group_steps, "_begin_stop", begin)


def same_epoch_again(patch: pytest.MonkeyPatch) -> None:
    """A start does not raise the epoch."""
    begin_start = group_steps._begin_start

    def begin(state: GroupState, orders: Any, partition: Any, plan: Any, now: float) -> None:
        partition.epoch = max(0, partition.epoch - 1)
        begin_start(state, orders, partition, plan, now)

    patch.setattr(group_steps, "_begin_start", begin)


def fenced_may_write(patch: pytest.MonkeyPatch) -> None:
    """Progress of a consumer that was fenced is accepted."""
    check = SimulatedProducer._check

    def unless_consumer(producer: SimulatedProducer) -> None:
        if producer.transactional_id == "controller":
            check(producer)
        else:
            producer.kafka.open.setdefault(producer.transactional_id, Transaction())

    patch.setattr(SimulatedProducer, "_check", unless_consumer)


def progress_not_read(patch: pytest.MonkeyPatch) -> None:
    """Partitions of a lost consumer begin where it began."""
    fence = group_events.fence

    def without(state: GroupState, member: Member, progress: Any, now: float) -> None:
        fence(state, member, {}, now)

    patch.setattr(group_events, "fence", without)


def progress_read_to_the_stable_end(patch: pytest.MonkeyPatch) -> None:
    """What was committed behind an open transaction is not read."""
    patch.setattr(SimulatedKafka, "end", SimulatedKafka.stable_end)


def released_when_lost(patch: pytest.MonkeyPatch) -> None:
    """Partitions of a lost consumer move before it is fenced."""
    lose = group_events.lose

    def and_release(state: GroupState, member: Member) -> None:
        lose(state, member)
        for partition in state.owned_by(member.consumer):
            state.free(partition, 0, 0.0)

    patch.setattr(group_events, "lose", and_release)


def commands_for_others(patch: pytest.MonkeyPatch) -> None:
    """A consumer obeys the commands for an earlier process of its slot."""
    apply = ConsumerDuty.apply

    def any_incarnation(duty: ConsumerDuty, command: Any) -> Any:
        duty.incarnation = command.incarnation
        return apply(duty, command)

    patch.setattr(ConsumerDuty, "apply", any_incarnation)


def started_again(patch: pytest.MonkeyPatch) -> None:
    """A repeated start begins a tenure again that has stopped."""
    start = ConsumerDuty._start

    def again(duty: ConsumerDuty, command: Start) -> Any:
        duty._tenures = {p: t for p, t in duty._tenures.items() if t.is_owned}
        return start(duty, command)

    patch.setattr(ConsumerDuty, "_start", again)


def not_asked_again(patch: pytest.MonkeyPatch) -> None:
    """A successor waits for answers to commands that its predecessor has sent."""
    patch.setattr(group_steps, "_repeat", lambda *_: None)


def never_lost(patch: pytest.MonkeyPatch) -> None:
    """No lease runs out."""
    patch.setattr(GroupProtocol, "_lease", lambda *_: float("inf"))


def never_missed(patch: pytest.MonkeyPatch) -> None:
    """A consumer that does not answer is only asked again."""
    patch.setattr(GroupState, "unanswered", lambda state: dict.fromkeys(state.members, inf))


def wins_back(patch: pytest.MonkeyPatch) -> None:
    """A controller that recovers takes over even from a newer one."""
    patch.setattr(GroupClaim, "allows", lambda *_: True)


@pytest.mark.parametrize(
    "plant",
    [
        start_at_once,
        same_epoch_again,
        fenced_may_write,
        progress_not_read,
        released_when_lost,
        commands_for_others,
        started_again,
        not_asked_again,
        never_lost,
        never_missed,
        wins_back,
    ],
)
def test_histories_find(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(Broken):
        run(
            Scenario(seed, faults=seed % 5, kinds=KINDS, plans=3, kills=seed % 3 > 0)
            for seed in range(HISTORIES)
        )


@pytest.mark.slow
def test_histories_find_what_is_hidden_by_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    progress_read_to_the_stable_end(monkeypatch)
    with pytest.raises(Broken, match="does not begin at"):
        # Many consumers, for one to have a transaction open while another one is lost.
        run(
            Scenario(seed, 6, 6, plans=2, faults=5, kinds=("crash_consumer",))
            for seed in range(HISTORIES)
        )
