"""Faults: in none does a count fall below what the last hour needed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest
from confluent_kafka import KafkaError

from tests.live.scaler.faulted_group import FAULT_S, PARTITIONS, PEAK_END_S, FaultedGroup
from tests.live.scaler.scaler_fakes import STRATEGY, failure

pytestmark = [pytest.mark.unit, pytest.mark.slow]

HOLDING = "headroom:h=1.15:hold=1800"
"""Needs the count of the peak for half an hour: to forget it is a fault that one sees."""

USUAL_COUNT, PEAK_COUNT = {STRATEGY: 6, HOLDING: 9}, {STRATEGY: 8, HOLDING: 9}
DAY_S = 86_400.0

Fault = Callable[[FaultedGroup, int], None]


def _nothing(group: FaultedGroup, at_s: int) -> None:
    pass


def _away(seconds: int) -> Fault:
    def fault(group: FaultedGroup, at_s: int) -> None:
        is_away = FAULT_S <= at_s < FAULT_S + seconds
        group.topic.error = failure(KafkaError._TRANSPORT) if is_away else None

    return fault


def _one_broker_away(group: FaultedGroup, at_s: int) -> None:
    for number in range(0, PARTITIONS, 3):
        group.topic.leaders[number] = None if FAULT_S <= at_s < FAULT_S + 600 else 1


def _slow(seconds: int) -> Fault:
    def fault(group: FaultedGroup, at_s: int) -> None:
        group.look_takes_s = seconds if FAULT_S <= at_s < FAULT_S + 300 else 0

    return fault


def _group_deleted(group: FaultedGroup, at_s: int) -> None:
    is_deleted = FAULT_S <= at_s < FAULT_S + 120
    group.clients.group.state.name = "DEAD" if is_deleted else "STABLE"
    if at_s == FAULT_S:
        group.has_commits = False
        group.topic.committed_offsets = dict.fromkeys(range(PARTITIONS), -1001)


def _recreated(partitions: int) -> Fault:
    def fault(group: FaultedGroup, at_s: int) -> None:
        if at_s == FAULT_S:
            group.recreate(partitions)

    return fault


def _offsets_back(group: FaultedGroup, at_s: int) -> None:
    if at_s in (FAULT_S, FAULT_S + 5, FAULT_S + 200):
        group.jump_back(1000)


def _clock_ahead(group: FaultedGroup, at_s: int) -> None:
    group.leap_s = 300.0 if at_s >= FAULT_S else 0.0


def _killed(at_s: int, wall_leap_s: float = 0.0, has_file: bool = True) -> Fault:
    def fault(group: FaultedGroup, now_s: int) -> None:
        if now_s == at_s:
            group.kill()
            group.wall_leap_s = wall_leap_s
            if not has_file:
                group.history = None
        if now_s == at_s + 60:
            group.start()

    return fault


def _second_scaler(group: FaultedGroup, at_s: int) -> None:
    if at_s == FAULT_S:
        group.history = None
        group.start()


def _unknown_metric(group: FaultedGroup, at_s: int) -> None:
    group.metric = "cpu" if FAULT_S <= at_s < FAULT_S + 150 else "replicas"


class Case(NamedTuple):
    """A fault, and what is counted of it."""

    fault: Fault
    states: str
    """Initials of the states, in their order: unknown, seeing, blind, long blind (L)."""
    refused: int
    """Syncs without a count, by which the pod autoscaler changes nothing."""
    raised: int
    """Syncs with more than a scaler without faults sends, with `STRATEGY`."""


CASES = {
    "nothing": Case(_nothing, "S", 0, 0),
    "broker away 1 min": Case(_away(60), "SBLS", 0, 1),
    "broker away 10 min": Case(_away(600), "SBLS", 0, 37),
    "one broker of three away": Case(_one_broker_away, "SBLS", 0, 37),
    "looks take 9 s": Case(_slow(9), "SBS", 0, 0),
    "looks take 20 s": Case(_slow(20), "SBLS", 0, 17),
    "group deleted": Case(_group_deleted, "SBLS", 0, 5),
    "topic recreated": Case(_recreated(PARTITIONS), "S", 0, 0),
    "topic recreated, wider": Case(_recreated(60), "S", 0, 0),
    "offsets go back": Case(_offsets_back, "S", 0, 0),
    "clock ahead": Case(_clock_ahead, "SLS", 0, 1),
    "killed in the peak": Case(_killed(PEAK_END_S - 30), "SUS", 1, 78),
    "killed in the peak, no file": Case(_killed(PEAK_END_S - 30, 0, False), "SUS", 1, 78),
    "killed, wall clock ahead": Case(_killed(FAULT_S, DAY_S), "SUS", 1, 0),
    "killed, wall clock back": Case(_killed(FAULT_S, -DAY_S), "SUS", 1, 0),
    "two scalers": Case(_second_scaler, "SUS", 1, 0),
    "unknown metric": Case(_unknown_metric, "S", 10, 0),
}


@pytest.fixture(scope="module", params=[STRATEGY, HOLDING])
def healthy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[int, int]]:
    """A strategy, and what it asks for without faults."""
    group = FaultedGroup(request.param, tmp_path_factory.mktemp("healthy"), _nothing, {}).run()
    return request.param, {each.at_s: each.count for each in group.asked if each.count}


@pytest.mark.parametrize("name", CASES)
def test_no_count_is_below_what_the_last_hour_needed(
    healthy: tuple[str, dict[int, int]], name: str, tmp_path: Path
) -> None:
    strategy, least = healthy
    case = CASES[name]
    group = FaultedGroup(strategy, tmp_path, case.fault, least).run()
    sent = [each for each in group.asked if each.count is not None]
    assert [each for each in sent if (each.count or 0) < each.least] == []
    for each in sent:
        if each.at_s > PEAK_END_S:
            assert each.count == PEAK_COUNT[strategy] or each.state != "blind_long"
    states = "".join(key for key, _ in groupby(_initial(each.state) for each in group.asked))
    raised = sum((each.count or 0) > each.least for each in sent)
    counted = (states, sum(group.refused.values()), raised if strategy == STRATEGY else case.raised)
    assert counted == case[1:]
    assert (group.asked[-1].count or 0) >= USUAL_COUNT[strategy]
    if name == "unknown metric":
        assert set(group.refused) == {"NOT_FOUND"}


def _initial(state: str) -> str:
    return "L" if state == "blind_long" else state[0].upper()


def test_the_peak_and_the_usual_rate_need_other_counts(
    healthy: tuple[str, dict[int, int]],
) -> None:
    strategy, least = healthy
    assert least[PEAK_END_S] == PEAK_COUNT[strategy]
    assert least[FAULT_S] == USUAL_COUNT[strategy]


TWO_TOPICS = {"bills": 12, "orders": PARTITIONS - 12}


def _of_one(change: Callable[[FaultedGroup, bool], None]) -> Fault:
    """A change of one topic: at `FAULT_S`, and whatever ends 10 minutes later."""

    def fault(group: FaultedGroup, at_s: int) -> None:
        if at_s in (FAULT_S, FAULT_S + 600):
            change(group, at_s == FAULT_S)

    return fault


def _missing(group: FaultedGroup, is_missing: bool) -> None:
    absent = failure(KafkaError.UNKNOWN_TOPIC_OR_PART)
    group.clients.topics["bills"].error = absent if is_missing else None


def _recreated_once(partitions: int) -> Callable[[FaultedGroup, bool], None]:
    def change(group: FaultedGroup, is_now: bool) -> None:
        if is_now:
            group.recreate(partitions, "bills")

    return change


def _widened(group: FaultedGroup, is_now: bool) -> None:
    if is_now:
        group.widen(18, "bills")


@pytest.mark.parametrize(
    ("change", "states"),
    [
        (lambda *_: None, "S"),
        (_missing, "SBLS"),
        (_recreated_once(12), "S"),
        (_recreated_once(18), "S"),
        (_recreated_once(6), "S"),
        (_widened, "S"),
    ],
    ids=["nothing", "missing", "recreated", "recreated, wider", "recreated, narrower", "widened"],
)
def test_a_fault_of_one_of_two_topics_shrinks_no_group(
    change: Callable[[FaultedGroup, bool], None], states: str, tmp_path: Path
) -> None:
    healthy = FaultedGroup(STRATEGY, tmp_path, _nothing, {}, topics=TWO_TOPICS).run()
    least = {each.at_s: each.count for each in healthy.asked if each.count}
    assert (least[PEAK_END_S], least[FAULT_S]) == (PEAK_COUNT[STRATEGY], USUAL_COUNT[STRATEGY])
    (tmp_path / "history.json").unlink()
    group = FaultedGroup(STRATEGY, tmp_path, _of_one(change), least, topics=TWO_TOPICS).run()
    assert [each for each in group.asked if each.count and each.count < each.least] == []
    seen = "".join(key for key, _ in groupby(_initial(each.state) for each in group.asked))
    assert (seen, sum(group.refused.values())) == (states, 0)
    assert group.asked[-1].count == USUAL_COUNT[STRATEGY]
