"""Looks at a group: complete, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError

from live.scaler import group_look
from live.scaler.group_look import Look, NoLook
from tests.live.scaler.scaler_fakes import Clients, Topic, failure

pytestmark = pytest.mark.unit

ASKS = {"describe_topics", "describe_consumer_groups", "offsets_for_times", "committed"}


def take(clients: Any) -> Look:
    return group_look.take(clients, tuple(clients.topics), "billing", 0.2)


def refusal(clients: Clients) -> str:
    with pytest.raises(NoLook) as caught:
        take(clients)
    return str(caught.value)


def test_a_complete_look_has_every_partition_and_all_members() -> None:
    clients = Clients()
    clients.join("m2", "h2", 2)
    clients.join("m1", "h1", 0)
    clients.join("m3", "h3", 1, topic="others")
    look = take(clients)
    assert (look.ends, look.committed, look.begins) == ((10, 20, 30), (4, None, 30), {1: 0})
    assert look.leaders == (1, 2, 3)
    assert look.lags == [6, 20, 0]
    assert [member.name for member in look.members] == ["m1", "m2", "m3"]
    assert look.owners == [0, -1, 1]
    assert set(clients.asked) == {"topic", "group", "offsets", "committed"}


def test_offsets_beyond_the_end_are_no_lag() -> None:
    clients = Clients()
    clients.topics["orders"].committed_offsets[0] = 400
    assert take(clients).lags[0] == 0


def test_one_of_three_brokers_down_is_no_look() -> None:
    clients = Clients()
    clients.topics["orders"].leaders[1] = None
    assert refusal(clients) == "topic 'orders' has no leader of partition 1; start its broker"
    clients = Clients()
    clients.topics["orders"].ends[1] = failure(KafkaError._TRANSPORT)
    assert refusal(clients) == (
        "no end offset of partition 1 within 0.2 s; start broker 2, or let it be reached at its "
        "advertised address"
    )


@pytest.mark.parametrize("code", [KafkaError._TIMED_OUT, KafkaError.NOT_COORDINATOR])
def test_an_unknown_commit_is_no_commit_of_zero(code: int) -> None:
    clients = Clients()
    clients.topics["orders"].committed_offsets[2] = KafkaError(code)
    assert refusal(clients).startswith("no broker answers within 0.2 s")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (KafkaError.GROUP_AUTHORIZATION_FAILED, "no permission to describe group 'billing'"),
        (KafkaError.GROUP_ID_NOT_FOUND, "group 'billing' does not exist"),
        (KafkaError._TRANSPORT, "the login failed"),
    ],
)
def test_a_group_that_is_not_seen_is_named(code: int, said: str) -> None:
    clients = Clients()
    clients.fault_text = "the login failed"
    clients.group = failure(code)
    assert refusal(clients).startswith(said)


def test_a_group_of_older_brokers_that_is_dead_does_not_exist() -> None:
    clients = Clients()
    clients.group.state.name = "DEAD"
    assert refusal(clients).startswith("group 'billing' does not exist; start a member")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, "no permission to describe topic 'orders'"),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, "topic 'orders' does not exist"),
    ],
)
def test_a_topic_that_is_not_seen_is_named(code: int, said: str) -> None:
    clients = Clients()
    clients.topics["orders"].error = failure(code)
    assert refusal(clients).startswith(said)


def test_a_look_calls_nothing_that_writes() -> None:
    called: set[str] = set()

    class Watched(Clients):
        def __getattribute__(self, name: str) -> Any:
            if callable(getattr(Clients, name, None)) and not name.startswith("_"):
                called.add(name)
            return super().__getattribute__(name)

    take(Watched())
    assert called == ASKS | {"now_s"}


def two_topics() -> Clients:
    """Topic bills of 2 partitions besides orders of 3; the first in order has no commit in 1."""
    clients = Clients()
    clients.topics["bills"] = Topic({0: 4, 1: 5}, {0: 100, 1: 200}, {0: 90, 1: -1001})
    return clients


def test_a_look_has_every_partition_of_all_topics_in_the_order_of_simulations() -> None:
    clients = two_topics()
    clients.join("m2", "h2", 2)
    clients.join("m2", "h2", 0, topic="bills")
    clients.join("m1", "h1", 0, 1)
    clients.join("m1", "h1", 0, topic="others")
    look = take(clients)
    assert tuple(clients.topics) == ("orders", "bills")
    assert look.sizes == (2, 3)
    assert look.ends == (100, 200, 10, 20, 30)
    assert look.committed == (90, None, 4, None, 30)
    assert look.begins == {1: 0, 3: 0}
    assert look.leaders == (4, 5, 1, 2, 3)
    assert look.lags == [10, 200, 6, 20, 0]
    assert [(m.name, m.partitions) for m in look.members] == [("m1", (2, 3)), ("m2", (4, 0))]
    assert look.owners == [1, -1, 0, 0, 1]


def test_partitions_that_a_topic_no_longer_has_are_nobodys() -> None:
    clients = two_topics()
    clients.join("m1", "h1", 0, 1, 2, topic="bills")
    assert take(clients).owners == [0, 0, -1, -1, -1]


def _absent(clients: Clients) -> None:
    clients.topics["bills"].error = failure(KafkaError.UNKNOWN_TOPIC_OR_PART)


def _forbidden(clients: Clients) -> None:
    clients.topics["bills"].error = failure(KafkaError.TOPIC_AUTHORIZATION_FAILED)


def _without_leader(clients: Clients) -> None:
    clients.topics["bills"].leaders[1] = None


def _without_end(clients: Clients) -> None:
    clients.topics["bills"].ends[1] = failure(KafkaError._TRANSPORT)


def _without_commit(clients: Clients) -> None:
    clients.topics["bills"].committed_offsets[0] = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_absent, "topic 'bills' does not exist"),
        (_forbidden, "no permission to describe topic 'bills'"),
        (_without_leader, "topic 'bills' has no leader of partition 1; start its broker"),
        (
            _without_end,
            "no end offset of partition 1 of topic 'bills' within 0.2 s; start broker 5",
        ),
        (_without_commit, "no permission to describe topic 'bills'"),
    ],
)
def test_one_incomplete_topic_is_no_look(broken: Callable[[Clients], None], said: str) -> None:
    clients = two_topics()
    broken(clients)
    assert refusal(clients).startswith(said)
