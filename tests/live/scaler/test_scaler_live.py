"""Looks at real groups, and counts from a look to an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer

from live.login.client_properties import NO_PROPERTIES
from live.scaler.group_look import NoLook
from live.scaler.look_clients import LookClients
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_settings import Clock, ScalerSettings, ScalerTarget
from tests.live.scaler.scaler_fakes import TARGET
from tests.live.user_cluster.conftest import home, topic

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

__all__ = ["home", "topic"]

pytestmark = pytest.mark.live

LOOK_S = 1.0


def target_of(topic: str, group: str) -> ScalerTarget:
    return replace(TARGET, topics=(topic,), group=group, max_replicas=3)


def looked(bootstrap: str, target: ScalerTarget) -> LookClients:
    settings = ScalerSettings(
        bootstrap, NO_PROPERTIES, None, "", None, Clock(look_s=LOOK_S), {}, {}
    )
    return LookClients(settings, target)


@contextmanager
def member(bootstrap: str, topic: str, group: str, protocol: str) -> Iterator[Consumer]:
    settings = {"bootstrap.servers": bootstrap, "group.id": group, "group.protocol": protocol}
    consumer = Consumer({**settings, "auto.offset.reset": "earliest", "log_level": 0})
    consumer.subscribe([topic])
    until = time.monotonic() + 30
    while len(consumer.assignment()) < 3:
        assert time.monotonic() < until
        consumer.poll(0.2)
    try:
        yield consumer
    finally:
        consumer.close()


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_look_at_a_real_group(broker: Cluster, topic: str, protocol: str) -> None:
    from tests.live.user_cluster import user_topic

    user_topic.fill(broker.bootstrap, topic, {0: 5, 2: 3})
    group = f"{topic}-{protocol}"
    with member(broker.bootstrap, topic, group, protocol) as consumer:
        until = time.monotonic() + 30
        while sum(max(at.offset, 0) for at in consumer.position(consumer.assignment())) < 5 + 3:
            assert time.monotonic() < until
            consumer.poll(0.2)
        consumer.commit(asynchronous=False)
        look = looked(broker.bootstrap, target_of(topic, group)).look()
        assert look.ends == (5, 0, 3)
        assert [look.committed[0], look.committed[2]] == [5, 3]
        assert look.committed[1] in (None, 0)
        assert look.lags == [0, 0, 0]
        assert [each.partitions for each in look.members] == [(0, 1, 2)]
        assert all(leader > 0 for leader in look.leaders)


def test_a_look_at_a_group_of_several_topics(broker: Cluster, topic: str) -> None:
    """Groups without members have commits too; a topic that is deleted ends the looks."""
    from tests.live.user_cluster import user_topic

    group = f"{topic}-several"
    with user_topic.user_topic(broker.bootstrap, 2) as other:
        user_topic.fill(broker.bootstrap, topic, {0: 5, 2: 3})
        user_topic.fill(broker.bootstrap, other, {1: 7})
        user_topic.commit(broker.bootstrap, group, topic, {0: 4})
        user_topic.commit(broker.bootstrap, group, other, {1: 7})
        target = replace(target_of(topic, group), topics=(other, topic))
        clients = looked(broker.bootstrap, target)
        look = clients.look()
        parts: dict[str, tuple[tuple[int, ...], tuple[int | None, ...]]]
        parts = {topic: ((5, 0, 3), (4, None, None)), other: ((0, 7), (None, 7))}
        first, second = (parts[name] for name in sorted(parts))
        assert look.sizes == (len(first[0]), len(second[0]))
        assert (look.ends, look.committed) == (first[0] + second[0], first[1] + second[1])
        assert sum(look.lags) == 1 + 3
    with pytest.raises(NoLook, match=f"topic '{other}' does not exist"):
        _look_for_ever(clients)


def _look_for_ever(clients: LookClients) -> None:
    """Until a look is none; a minute at most."""
    for _ in range(120):
        clients.look()
        time.sleep(0.5)


def test_an_absent_group_is_no_look(broker: Cluster, topic: str) -> None:
    with pytest.raises(NoLook, match="does not exist"):
        looked(broker.bootstrap, target_of(topic, "nobody")).look()


def test_from_records_to_an_answer(broker: Cluster, topic: str) -> None:
    from tests.live.user_cluster import user_topic

    with member(broker.bootstrap, topic, f"{topic}-scaled", "classic"):
        target = target_of(topic, f"{topic}-scaled")
        scaled = ScaledTarget(
            "shop/billing",
            target,
            Clock(look_s=LOOK_S),
            RecentCounts(),
            looked(broker.bootstrap, target).look,
            time.monotonic,
            lambda *_, **__: None,
        )
        scaled.look()
        assert scaled.asked().replicas is None
        began_s = time.monotonic()
        user_topic.fill(broker.bootstrap, topic, {0: 100, 1: 50, 2: 50})
        time.sleep(max(began_s + 1.2 - time.monotonic(), 0))
        scaled.look()
        answer = scaled.asked()
        decided = scaled.tally.decided
        assert decided is not None, answer.reason
        assert 90 < decided.rate < 200
        assert (answer.state, answer.replicas) == ("seeing", -(-decided.rate // 90))
