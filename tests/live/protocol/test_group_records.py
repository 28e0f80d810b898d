"""A successor continues where the controller before it died."""

from __future__ import annotations

import json

import pytest

from live.protocol.group_knowledge import KEPT_PLANS, Status
from live.protocol.group_protocol import GroupProtocol, ProtocolSettings
from live.protocol.group_records import Record, restored_state
from live.protocol.messages import Beat, PartitionOffset
from live.protocol.plan_report import NOBODY
from tests.live.protocol.group_desk import GroupDesk, starts, stopped, stops
from tests.live.protocol.test_group_protocol import desk

pytestmark = pytest.mark.unit


def test_a_successor_of_nobody_begins_anew() -> None:
    group = GroupProtocol.restored(ProtocolSettings(2), 0.0, [], offsets={0: 5})
    assert group.plans == ()
    assert group.may_plan
    group.plan([0, 0], 0.0)
    group.due(0.0)
    group.heard(Beat(0, 1, {}, 0), 0.0)
    assert starts(group.due(0.0)) == {0: (PartitionOffset(0, 1, 5), PartitionOffset(1, 1, 0))}


def test_a_successor_asks_all_consumers_again() -> None:
    g = desk([0, 1, 1])
    g.succeed()
    assert g.group.owners == [NOBODY] * 3
    actions = g.due()
    assert starts(actions) == {
        0: (PartitionOffset(0, 1, 0),),
        1: (PartitionOffset(1, 1, 0), PartitionOffset(2, 1, 0)),
    }
    assert g.due().commands == ()
    g.answer(actions)
    assert g.group.is_settled
    assert g.group.epochs == [1, 1, 1]


def test_a_successor_completes_a_stop() -> None:
    g = desk([0, 1])
    g.group.plan([1, 1], g.now)
    first = g.due()
    # The answer was read, but what it made due was not committed.
    g.group.heard(stopped(0, 0, 1, 9), g.now)
    g.succeed()
    actions = g.due()
    assert stops(actions) == stops(first) == {0: [0]}
    assert starts(g.answer(actions, at=9)) == {1: (PartitionOffset(0, 2, 9),)}


def test_a_successor_completes_a_start() -> None:
    g = desk([0, 1])
    g.group.plan([1, 1], g.now)
    actions = g.answer(g.due(), at=9)
    g.succeed()
    again = g.due()
    assert starts(again)[1] == (*starts(actions)[1], PartitionOffset(1, 1, 0))
    g.answer(again)
    assert g.group.owners == [1, 1]
    assert g.group.plans[-1].moves[0].source == 0


def test_a_successor_asks_the_launcher_again() -> None:
    g = GroupDesk(1)
    g.group.plan([0], g.now)
    assert g.due().launches == ((0, 1),)
    g.succeed()
    assert g.due().launches == ((0, 1),)
    # `hello` may have been read by the predecessor: any sign of life will do.
    g.group.heard(Beat(0, 1, {}, 0), g.now)
    assert starts(g.due()) == {0: (PartitionOffset(0, 1, 0),)}


def test_a_successor_fences_and_ends_what_its_predecessor_would_have() -> None:
    g = desk([0, 1, 2])
    g.group.plan([0, 0, 2], g.now)
    ending = g.answer(g.answer(g.due()))
    g.group.exited(2, 1, g.now)
    g.due()
    g.succeed()
    assert g.group.consumers == {
        0: (1, Status.READY),
        1: (1, Status.LEAVING),
        2: (1, Status.LOST),
    }
    actions = g.due()
    assert set(ending.commands) <= set(actions.commands)
    assert actions.fences == ((2, 1),)
    g.group.fenced(2, 1, {2: 8}, g.now)
    assert g.due().launches == ((2, 2),)
    assert starts(g.hello(2, incarnation=2)) == {2: (PartitionOffset(2, 2, 8),)}


def test_leases_begin_with_the_successor() -> None:
    g = desk([0], lease_s=10.0)
    g.now += 1000
    g.succeed()
    assert g.due().fences == ()
    for _ in range(3):
        g.now += 4
        actions = g.due()
    assert actions.fences == ((0, 1),)


def test_knowledge_survives() -> None:
    g = desk([0, 1, 1])
    g.group.plan([1, 0, NOBODY], g.now, order=[1], reason="overload", iteration=4)
    g.answer(g.due(), at=7)
    g.due()
    before = g.group
    g.succeed()
    assert g.group.plans[0] == before.plans[0]
    assert [move.target for move in g.group.plans[1].moves] == [0, 1, NOBODY]
    assert g.group.plans[1].wanted == (1, 0, NOBODY)
    assert (g.group.plans[1].reason, g.group.plans[1].iteration) == ("overload", 4)
    assert g.group.epochs == before.epochs
    assert g.group.consumers == before.consumers


def test_a_new_plan_has_a_new_number() -> None:
    g = desk([0])
    for number in range(2, 13):
        g.succeed()
        g.answer(g.due())
        assert g.group.plan([0], g.now).number == number
        g.due()


def test_old_plans_are_removed_from_the_topic() -> None:
    g = desk([0])
    for _ in range(2 * KEPT_PLANS):
        g.group.plan([0], g.now)
        g.due()
    removed = [key for key, value in g.records.items() if value is None]
    assert removed == [b"plan/%d" % number for number in range(1, KEPT_PLANS + 2)]
    g.succeed()
    kept = range(KEPT_PLANS + 2, 2 * KEPT_PLANS + 2)
    assert [plan.number for plan in g.group.plans] == list(kept)
    g.answer(g.due())
    assert g.group.is_settled


def test_a_plan_is_removed_by_the_transaction_that_has_its_successor() -> None:
    g = desk([0])
    for _ in range(KEPT_PLANS):
        g.group.plan([0], g.now)
        records = dict(g.due().records)
    assert records[b"plan/1"] is None
    assert records[b"plan/%d" % (KEPT_PLANS + 1)] is not None


def test_what_the_strategy_has_decided_last_is_kept() -> None:
    """A group that ends is wanted nowhere, plan after plan, as its consumers are lost."""
    g = desk([0])
    g.group.plan([0], g.now, iteration=7)
    for _ in range(2 * KEPT_PLANS):
        g.due()
        g.group.plan([0], g.now)
    assert [plan.iteration for plan in g.group.plans] == [7, *[-1] * KEPT_PLANS]


def test_of_equal_keys_the_last_record_counts() -> None:
    def record(epoch: int) -> bytes:
        content = {"phase": "free", "owner": -1, "epoch": epoch, "offset": 1, "plan": 0}
        return json.dumps({"v": 1, "source": -1, **content}).encode()

    key = b"partition/0"
    records: list[Record] = [(key, record(1)), (key, record(2)), (b"controller/0", None)]
    assert restored_state(1, records, {}, 0.0).partitions[0].epoch == 2
    assert restored_state(1, [*records, (key, None)], {}, 0.0).partitions[0].epoch == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"partition/0", b'{"v":2}'), (b"partition/0", b"{"), (b"color/0", b'{"v":1}')],
)
def test_records_that_are_not_understood_are_errors(key: bytes, value: bytes) -> None:
    with pytest.raises(ValueError, match=r"topic state|Expecting"):
        restored_state(1, [(key, value)], {}, 0.0)
