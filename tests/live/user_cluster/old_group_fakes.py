"""A cluster with topic orders and group billing, which answers as tests say."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from live.login.client_properties import NO_PROPERTIES
from live.user_cluster.cluster_access import TopicAccess
from live.user_cluster.old_group import OldGroup

TOPIC, GROUP = "orders", "billing"


def failure(code: int) -> KafkaException:
    return KafkaException(KafkaError(code))


class FakeCluster:
    """Its admin client and its consumer.

    Attributes
    ----------
    begins, ends, offsets, metadata
        By partition.
    members
        Client ids.
    errors
        What a call raises, by its name.
    commits
        Rows of each commit that was taken.
    """

    def __init__(self, *ends: int) -> None:
        self.begins, self.ends = [0] * len(ends), list(ends)
        self.offsets: dict[int, int] = {}
        self.metadata: dict[int, str] = {}
        self.members: list[str] = []
        self.errors: dict[str, Exception] = {}
        self.commits: list[dict[int, int]] = []
        self.is_closed = False

    def old_group(self) -> OldGroup:
        client = cast(Any, self)
        to = TopicAccess("127.0.0.1:1", TOPIC, len(self.ends), NO_PROPERTIES, client)
        return OldGroup(to, GROUP, self)

    def describe_topics(self, topics: Any, request_timeout: float) -> dict[str, Any]:
        return {TOPIC: self._future("topic", SimpleNamespace(partitions=self.ends))}

    def describe_consumer_groups(self, groups: list[str], request_timeout: float) -> dict[str, Any]:
        members = [SimpleNamespace(client_id=m, host="/10.0.0.7") for m in self.members]
        return {groups[0]: self._future("group", SimpleNamespace(members=members))}

    def committed(self, places: list[TopicPartition], timeout: float) -> list[Any]:
        self._raise("committed")
        return [
            SimpleNamespace(
                partition=each.partition,
                offset=self.offsets.get(each.partition, -1001),
                metadata=self.metadata.get(each.partition),
                error=None,
            )
            for each in places
        ]

    def commit(self, offsets: Sequence[TopicPartition], asynchronous: bool) -> list[Any]:
        assert not asynchronous
        self._raise("commit")
        self.commits.append({row.partition: row.offset for row in offsets})
        self.offsets |= self.commits[-1]
        self.metadata = {row.partition: row.metadata for row in offsets}
        return [SimpleNamespace(partition=row.partition, error=None) for row in offsets]

    def offsets_for_times(self, places: list[TopicPartition], timeout: float) -> list[Any]:
        self._raise("offsets")
        return [
            SimpleNamespace(
                partition=each.partition,
                offset=(self.begins if each.offset == -2 else self.ends)[each.partition],
                error=None,
            )
            for each in places
        ]

    def list_topics(self, *_: Any, **__: Any) -> None:
        raise failure(KafkaError._TRANSPORT)

    def close(self) -> None:
        self.is_closed = True

    def _raise(self, call: str) -> None:
        if call in self.errors:
            raise self.errors[call]

    def _future(self, call: str, answer: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if call in self.errors:
            future.set_exception(self.errors[call])
        else:
            future.set_result(answer)
        return future
