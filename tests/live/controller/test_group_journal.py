"""A plan has one entry, once it is complete; messages have one for each partition."""

from __future__ import annotations

from typing import Any, cast

import pytest

from live.controller.group_journal import GroupJournal
from live.controller.live_decisions import Wanted
from live.protocol.messages import Beat, Hello, PartitionEpoch, Stop
from live.protocol.plan_report import Plan

pytestmark = pytest.mark.unit

WANTED = Wanted((0, 1), (0.5, 0.5), "time", 3, 70)


class Journal:
    """Notes entries."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []

    def write(self, what: str, **fields: Any) -> None:
        self.said.append((what, fields))


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def group(journal: Journal) -> GroupJournal:
    return GroupJournal(cast(Any, journal), 1.0)


def begun(group: GroupJournal, number: int) -> Plan:
    plan = Plan(number, WANTED.owners, 1.0, iteration=WANTED.iteration)
    group.begun(plan, WANTED, [0, 0])
    return plan


def test_a_plan_is_written_once_it_is_complete(group: GroupJournal, journal: Journal) -> None:
    plan = begun(group, 4)
    group.look()
    assert journal.said == [("iteration", {"iteration": 3, "wanted": (0, 1), "plan": 4})]
    plan.completed_s = 2.0
    for _ in range(3):
        group.look()
    ((what, entry),) = journal.said[1:]
    assert (what, entry["plan"], entry["before"], entry["after"]) == ("plan", 4, 1, 2)


def test_a_plan_that_another_one_replaces_is_not(group: GroupJournal, journal: Journal) -> None:
    begun(group, 4)
    begun(group, 5).completed_s = 3.0
    group.look()
    assert [entry["plan"] for what, entry in journal.said if what == "plan"] == [5]


def test_messages_have_an_entry_for_each_partition(group: GroupJournal, journal: Journal) -> None:
    group.sent([(6, Stop(1, 4, (PartitionEpoch(0, 2), PartitionEpoch(3, 1))))])
    group.heard(Hello(6, 1, 1, 0))
    group.heard(Beat(6, 1, {}, 0))
    rows = [
        (what, e["kind"], e["consumer"], e["partition"], e["epoch"]) for what, e in journal.said
    ]
    assert rows == [
        ("sent", "stop", 6, 0, 2),
        ("sent", "stop", 6, 3, 1),
        ("heard", "hello", 6, None, None),
    ]
