"""Offsets of a topic and of a group; a client that fails in the ways of librdkafka."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from pipeline.live.own_cluster.client_properties import NO_PROPERTIES
from pipeline.live.own_cluster.cluster_access import TopicAccess, access
from pipeline.live.own_cluster.group_offsets import GroupOffsets

if TYPE_CHECKING:
    from pipeline.live.broker.broker_cluster import Cluster


class Client:
    """Answers with an offset, an error, or not at all (None)."""

    def __init__(self, answers: dict[int, Any]) -> None:
        self._answers = answers
        self.refreshed = 0

    def list_offsets(self, wanted: dict[TopicPartition, Any], **_: Any) -> Any:
        futures: dict[TopicPartition, Future[Any]] = {}
        for each in wanted:
            future: Future[Any] = Future()
            futures[each] = future
            answer = self._answers[each.partition]
            if isinstance(answer, Exception):
                future.set_exception(answer)
            elif answer is not None:
                future.set_result(SimpleNamespace(offset=answer))
        return futures

    def list_topics(self, **_: Any) -> None:
        self.refreshed += 1
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))


def offsets(client: Any) -> GroupOffsets:
    return GroupOffsets(TopicAccess("b:1", "t", 3, NO_PROPERTIES, client), None)


@pytest.mark.unit
def test_leaders_are_looked_up_again_after_a_failure() -> None:
    fenced = KafkaException(KafkaError(KafkaError.FENCED_LEADER_EPOCH))
    client = Client({0: 7, 1: fenced, 2: -1001, 3: None})
    assert offsets(client).ends(range(4), 0.1) == {0: 7}
    assert client.refreshed == 1


@pytest.mark.unit
def test_nothing_is_looked_up_without_need() -> None:
    client = Client({0: 7, 1: 0})
    assert offsets(client).ends(range(2), 0.1) == {0: 7, 1: 0}
    assert offsets(client).ends(range(0), 0.1) == {}
    assert offsets(client).committed(range(2), 0.1) == {}
    offsets(client).check(0.1)
    assert client.refreshed == 0


@pytest.mark.live
def test_offsets_of_a_broker(broker: Cluster, topic: str) -> None:
    from tests.pipeline.live.own_cluster import user_topic

    user_topic.fill(broker.bootstrap, topic, {0: 5, 2: 3})
    user_topic.commit(broker.bootstrap, "readers", topic, {0: 2, 1: 0})
    found = GroupOffsets(access(broker.bootstrap, topic, NO_PROPERTIES), "readers")
    found.check(10.0)
    assert found.ends(range(3), 10.0) == {0: 5, 1: 0, 2: 3}
    assert found.committed(range(3), 10.0) == {0: 2, 1: 0}
    found.close()
    nobody = GroupOffsets(access(broker.bootstrap, topic, NO_PROPERTIES), "nobody")
    nobody.check(10.0)
    assert nobody.committed(range(3), 10.0) == {}
    nobody.close()
