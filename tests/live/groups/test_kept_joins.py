"""An answer to a join that comes between two polls of the client, which runs its own code here."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.coordinator.base import BaseCoordinator
from kafka.errors import RebalanceInProgressError
from kafka.future import Future
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector

from live.groups import client_internals

pytestmark = pytest.mark.unit

POLL_MS = 20


class Member:
    """What the client's joins need of its coordinator; brokers answer when the test says so."""

    _use_group_apis = True

    def __init__(self) -> None:
        self._join_task: Any = None
        self.rejoin_needed, self.rejoining, self.state = True, False, None
        self.metadata_is_new = False
        self._lock = threading.Lock()
        self._generation = SimpleNamespace(generation_id=1, member_id="m", protocol="p")
        self.config = {"retry_backoff_ms": 1}
        self.joins: list[Future] = []
        self.assigned: list[bytes] = []
        self._net = NetworkSelector()
        self._manager = SimpleNamespace(
            call_soon=self._begin,
            wait_for=lambda *args: KafkaConnectionManager.wait_for(self._manager, *args),
            _net=self._net,
        )

    def _begin(self, coroutine: object) -> Future:
        self.joins.append(Future())
        return self.joins[-1]

    def _do_join_and_sync_async(self) -> None:
        raise AssertionError("the test answers")

    def need_rejoin(self) -> bool:
        return self.metadata_is_new or self.rejoin_needed

    async def ensure_coordinator_ready_async(self, timeout_ms: float | None) -> bool:
        return True

    async def _on_join_prepare_async(self, *args: object, timeout_ms: float | None) -> None:
        pass

    async def _on_join_complete_async(self, *args: Any) -> None:
        self.assigned.append(args[-1])

    def _disable_heartbeat(self) -> None:
        pass

    _enable_heartbeat = _disable_heartbeat

    def poll(self, keep: bool = True) -> bool:
        """As of the client; whether the member has joined."""
        if keep:
            client_internals.keep_join(SimpleNamespace(_coordinator=self))
        joined: bool = self._net.run(BaseCoordinator.join_group_async, self, POLL_MS)
        return joined


def test_the_client_forgets_what_comes_between_two_polls() -> None:
    """Without this there would be nothing to repair."""
    member = Member()
    assert not member.poll(keep=False)
    member.joins[0].success(b"partitions")
    assert not member.poll(keep=False)
    assert len(member.joins) == 2
    assert member.assigned == []


def test_an_answer_between_two_polls_is_taken() -> None:
    member = Member()
    assert not member.poll()
    assert not member.poll()
    member.joins[0].success(b"partitions")
    assert member.poll()
    assert len(member.joins) == 1
    assert member.assigned == [b"partitions"]
    # The next rebalance begins a join of its own.
    member.rejoin_needed = True
    assert not member.poll()
    assert len(member.joins) == 2


@pytest.mark.parametrize("keep", [False, True])
def test_an_answer_is_taken_though_its_join_has_no_cause_left(keep: bool) -> None:
    """A leader joins as metadata are new, and assigns by them; without `keep` it is forgotten."""
    member = Member()
    member.rejoin_needed, member.metadata_is_new = False, True
    assert not member.poll(keep)
    member.metadata_is_new = False
    member.joins[0].success(b"partitions")
    assert member.poll(keep)
    assert member.assigned == ([b"partitions"] if keep else [])
    assert len(member.joins) == 1
    assert member.rejoin_needed is False


def test_a_join_that_failed_between_two_polls_is_repeated() -> None:
    member = Member()
    assert not member.poll()
    member.joins[0].failure(RebalanceInProgressError())
    assert not member.poll()
    assert len(member.joins) == 2
    member.joins[1].success(b"later")
    assert member.poll()
    assert member.assigned == [b"later"]


def test_an_answer_during_a_poll_is_taken_as_ever() -> None:
    member = Member()
    assert not member.poll()
    member._net.call_later(POLL_MS / 4e3, lambda: member.joins[0].success(b"soon"))
    assert member.poll()
    assert (member.assigned, len(member.joins)) == ([b"soon"], 1)
