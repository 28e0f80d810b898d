"""A group with ``min_replicas: 0`` whose records stop for a while, with faults meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import KafkaError

from live.protocol import external_scaler_pb2 as messages
from live.scaler.asked_targets import AskedTargets
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_service import ScalerService
from tests.live.scaler.faulted_group import (
    END_S,
    LOOK_S,
    NAME,
    PARTITIONS,
    SYNC_S,
    Call,
    FaultedGroup,
)
from tests.live.scaler.scaler_fakes import STRATEGY, failure
from tests.live.scaler.test_answer_server import ALLOW

pytestmark = [pytest.mark.unit, pytest.mark.slow]

QUIET_S, FAULT_S, BACK_S = 300, 600, 1200
"""Records stop at the first and come again at the last."""

RATE, COUNT = 720, 8
COOLDOWN_S = 120
FOUND = 2
"""Replicas at the start: for an hour, a group with work has no fewer."""

NO_COMMIT = -1001

Fault = Callable[[FaultedGroup, int], None]


def rate(at_s: int) -> int:
    return 0 if QUIET_S < at_s <= BACK_S else RATE


class IdleGroup(FaultedGroup):
    """Also asks whether the group is active."""

    def sync(self, scaler: ScaledTarget) -> None:
        super().sync(scaler)
        service = ScalerService(AskedTargets({NAME: scaler}, ALLOW), LOOK_S)
        ref = messages.ScaledObjectRef(namespace="shop", name="billing")
        active = service.is_active(ref, Call()).result
        assert active == (self.asked[-1].count != 0)


def played(folder: Path, fault: Fault, **own: Any) -> IdleGroup:
    settings = {"min_replicas": 0, "members_per_replica": 1, "cooldown_s": COOLDOWN_S, **own}
    group = IdleGroup(STRATEGY, folder, fault, {}, rate=rate, **settings)
    group.run()
    return group


def zeros(group: FaultedGroup) -> list[int]:
    return [each.at_s for each in group.asked if each.count == 0]


def _nothing(group: FaultedGroup, at_s: int) -> None:
    pass


def test_idle_after_the_cooldown_and_back_with_the_first_record(tmp_path: Path) -> None:
    group = played(tmp_path, _nothing)
    # Two looks: one sees that offsets no longer move, the count is asked for at the next sync.
    first, last = zeros(group)[0], zeros(group)[-1]
    assert QUIET_S + COOLDOWN_S <= first <= QUIET_S + COOLDOWN_S + LOOK_S + SYNC_S
    assert BACK_S <= last <= BACK_S + LOOK_S
    assert len(zeros(group)) == (last - first) // SYNC_S + 1
    assert group.asked[-1].count == COUNT


def test_never_with_at_least_one(tmp_path: Path) -> None:
    group = played(tmp_path, _nothing, min_replicas=1)
    assert zeros(group) == []


def _away(group: FaultedGroup, at_s: int) -> None:
    is_away = FAULT_S <= at_s < FAULT_S + 300
    group.topic.error = failure(KafkaError._TRANSPORT) if is_away else None


def _expired(group: FaultedGroup, at_s: int) -> None:
    """The brokers forget an empty group; its first member makes it anew."""
    if at_s == FAULT_S:
        group.clients.group.state.name = "DEAD"
        group.topic.committed_offsets = dict.fromkeys(range(PARTITIONS), NO_COMMIT)
    if at_s > FAULT_S and group.replicas > 0:
        group.clients.group.state.name = "STABLE"


def _recreated(records: int, offset: int, partitions: int = PARTITIONS) -> Fault:
    def fault(group: FaultedGroup, at_s: int) -> None:
        if at_s == FAULT_S:
            group.recreate(partitions)
            group.topic.ends = dict.fromkeys(range(partitions), records)
            group.topic.committed_offsets = dict.fromkeys(range(partitions), offset)

    return fault


def _without_a_commit(group: FaultedGroup, at_s: int) -> None:
    group.topic.committed_offsets[0] = NO_COMMIT


def _killed(has_file: bool) -> Fault:
    def fault(group: FaultedGroup, at_s: int) -> None:
        if at_s == FAULT_S:
            group.kill()
            if not has_file:
                group.history = None
        if at_s == FAULT_S + 60:
            group.start()

    return fault


def _killed_while_records_come(group: FaultedGroup, at_s: int) -> None:
    _killed(has_file=True)(group, at_s)
    if at_s == FAULT_S + 30:
        group.topic.ends[7] = int(group.topic.ends[7]) + 1  # type: ignore[call-overload]


class Case(NamedTuple):
    """A fault from `FAULT_S` on, while there are no replicas."""

    fault: Fault
    states: str
    """As for `test_scaler_faults`."""
    greatest: int
    """Greatest count until records come again."""


CASES = {
    "broker away 5 min": Case(_away, "SBLS", COUNT),
    "offsets expired": Case(_expired, "SBLS", COUNT),
    "topic recreated, no commit": Case(_recreated(0, NO_COMMIT), "S", FOUND),
    "topic recreated, stale commits": Case(_recreated(3, 500), "S", FOUND),
    "topic recreated, wider": Case(_recreated(0, NO_COMMIT, 60), "S", FOUND),
    "killed, file": Case(_killed(True), "SUS", 0),
    "killed, no file": Case(_killed(False), "SUS", 1),
    "killed while a record comes": Case(_killed_while_records_come, "SUS", FOUND),
}


@pytest.mark.parametrize("name", CASES)
def test_who_does_not_see_that_a_group_is_idle_wakes_it(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    group = played(tmp_path, case.fault)
    quiet = [each for each in group.asked if FAULT_S < each.at_s <= BACK_S]
    states = "".join(key for key, _ in groupby(_initial(each.state) for each in group.asked))
    assert (states, max(each.count or 0 for each in quiet)) == (case.states, case.greatest)
    for each in quiet:
        assert each.state != "blind_long" or each.count == COUNT
    # With all read and all committed, it is idle again.
    assert quiet[-1].count == 0
    assert group.asked[-1].count == COUNT


def _initial(state: str) -> str:
    return "L" if state == "blind_long" else state[0].upper()


@pytest.mark.parametrize("reset", ["latest", "earliest"])
def test_never_while_a_partition_has_no_commit(reset: str, tmp_path: Path) -> None:
    group = played(tmp_path, _without_a_commit, offset_reset=reset)
    assert zeros(group) == []
    assert min(each.count or FOUND for each in group.asked) == FOUND
    assert group.asked[-1].at_s == END_S


def test_a_look_that_fails_for_a_moment_wakes_nobody(tmp_path: Path) -> None:
    def fault(group: FaultedGroup, at_s: int) -> None:
        is_away = FAULT_S <= at_s < FAULT_S + 40
        group.topic.error = failure(KafkaError._TRANSPORT) if is_away else None

    group = played(tmp_path, fault)
    assert zeros(group) == zeros(played(tmp_path, _nothing))
