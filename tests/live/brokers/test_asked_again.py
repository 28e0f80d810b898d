"""Questions to a cluster whose brokers still name one that was killed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from live.brokers import broker_admin
from live.brokers.broker_admin import BrokerAdmin
from live.brokers.scaling_controller import ScalingFailed

pytestmark = pytest.mark.unit

CLUSTER: Any = SimpleNamespace(
    bootstrap="127.0.0.1:1,127.0.0.1:2", properties=SimpleNamespace(kafka_python={})
)


class Client:
    """Of a cluster in which one partition moves."""

    def list_partition_reassignments(self) -> list[Any]:
        return [SimpleNamespace(topic="t", partition=3)]

    def close(self) -> None:
        """Nothing is open."""


def connecting(monkeypatch: pytest.MonkeyPatch, refusals: int) -> list[int]:
    """Refuse some connections; returns the numbers of those that were tried."""
    tried: list[int] = []

    def connected(*_: object) -> Client:
        tried.append(len(tried) + 1)
        if len(tried) <= refusals:
            raise ConnectionRefusedError(111, "refused")
        return Client()

    monkeypatch.setattr(broker_admin, "connected", connected)
    monkeypatch.setattr(broker_admin, "LOOK_SECONDS", 0.0)
    return tried


def test_a_question_is_asked_until_a_broker_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = connecting(monkeypatch, 2)
    assert BrokerAdmin(CLUSTER).moving() == {("t", 3)}
    assert tried == [1, 2, 3]


@pytest.mark.parametrize(
    ("active", "behind_ms", "whole"),
    [(8, 400, True), (8, 6000, False), (8, 8_000_001, False), (-1, 400, False)],
)
def test_a_quorum_is_whole_while_all_follow_the_active_one(
    monkeypatch: pytest.MonkeyPatch, active: int, behind_ms: int, whole: bool
) -> None:
    """A time of -1, here 8,000,001 ms behind, is that of one that has not been heard."""
    now = 8_000_000
    times = {6: now - 400, 7: now - behind_ms, 8: now}
    voters = [
        {"replica_id": node, "last_caught_up_timestamp": time} for node, time in times.items()
    ]
    metadata = {"leader_id": active, "current_voters": voters}
    client = SimpleNamespace(
        describe_metadata_quorum=lambda: {"topics": [{"partitions": [metadata]}]},
        close=lambda: None,
    )
    monkeypatch.setattr(broker_admin, "connected", lambda *_: client)
    assert BrokerAdmin(CLUSTER).quorum() == (active, whole)


def test_a_cluster_that_never_answers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    connecting(monkeypatch, 10**9)
    monkeypatch.setattr(broker_admin, "SECONDS", 0.05)
    with pytest.raises(ScalingFailed, match=r"^the cluster does not answer \(ConnectionRefused"):
        BrokerAdmin(CLUSTER).moving()
