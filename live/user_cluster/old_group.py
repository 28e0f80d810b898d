"""A user's group without members whose topic consumers of this project read: its commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import TimeoutError as OutOfTime
from typing import Any, NamedTuple

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition

from live.kafka import log_offsets
from live.user_cluster.cluster_access import TopicAccess, client_settings
from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

CALL_S = 5.0
"""Longest question to the brokers, seconds."""

_MEMBERS = (
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError.STALE_MEMBER_EPOCH,
    KafkaError.FENCED_MEMBER_EPOCH,
)
"""How brokers refuse a commit from outside to a group with members."""

_RIGHTS = {
    KafkaError.GROUP_AUTHORIZATION_FAILED: "group",
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "topic",
}

_ABSENT = (KafkaError.GROUP_ID_NOT_FOUND,)


class NoAnswer(Exception):
    """The brokers do not answer in time; they may later."""


class Commit(NamedTuple):
    """What a group has committed in a partition."""

    offset: int
    """Offset of the record to read next."""
    metadata: str = ""
    """What its members have written beside it."""


class Bounds(NamedTuple):
    """Which records of a partition are stored."""

    begin: int
    """Offset of the first one."""
    end: int
    """Offset of the next one to be written."""


class OldGroup:
    """Members and commits of a group, by a client that never joins it.

    All methods raise NoAnswer if the brokers do not answer, and InputError if the user has no
    right, or if the topic is gone.

    to: The topic that it reads.
    consumer: Client to use instead of a new one, for tests.
    """

    def __init__(self, to: TopicAccess, name: str, consumer: Any = None) -> None:
        self.topic, self.name = to.topic, name
        self._admin = to.client
        own: dict[str, object] = {
            **client_settings(to.bootstrap, to.properties),
            "group.id": name,
            # How long the library keeps a commit while it looks for the group's coordinator.
            "session.timeout.ms": 6000,
        }
        self._consumer = consumer or log_offsets.reader(to.bootstrap, own)

    def partitions(self) -> int:
        """Number of partitions of the topic."""
        every = TopicCollection([self.topic])
        try:
            # A description: other requests may create the topic.
            future = self._admin.describe_topics(every, request_timeout=CALL_S)[self.topic]
            return len(future.result(CALL_S + 1).partitions)
        except (KafkaException, OutOfTime) as error:
            raise self._failure(error, "Describe") from None

    def members(self) -> list[str]:
        """Client and host of each member; none of a group that does not exist."""
        try:
            futures = self._admin.describe_consumer_groups([self.name], request_timeout=CALL_S)
            description = futures[self.name].result(CALL_S + 1)
        except KafkaException as error:
            if _code(error) in _ABSENT:
                return []
            raise self._failure(error, "Describe") from None
        except OutOfTime as error:
            raise self._failure(error, "Describe") from None
        return [
            printable(f"{each.client_id} at {each.host.lstrip('/')}")
            for each in description.members
        ]

    def committed(self, partitions: int) -> dict[int, Commit]:
        """What the group has committed, by partition, of those in which it has."""
        places = [TopicPartition(self.topic, number) for number in range(partitions)]
        try:
            rows = self._consumer.committed(places, timeout=CALL_S)
            _check(rows)
        except KafkaException as error:
            raise self._failure(error, "Describe") from None
        return {
            row.partition: Commit(row.offset, row.metadata or "") for row in rows if row.offset >= 0
        }

    def bounds(self, partitions: int) -> list[Bounds]:
        """Which records are stored, of each partition."""
        numbers = range(partitions)
        begins = log_offsets.beginnings(self._consumer, self.topic, numbers, CALL_S)
        ends = log_offsets.ends(self._consumer, self.topic, numbers, CALL_S)
        without = [number for number in numbers if number not in begins or number not in ends]
        if without:
            raise NoAnswer(f"no offsets of partition {without[0]} within {CALL_S:g} s")
        return [Bounds(begins[number], ends[number]) for number in numbers]

    def commit(self, commits: Mapping[int, Commit]) -> bool:
        """Commit in the name of the group; False if it has members, and nothing was committed."""
        rows = [
            TopicPartition(self.topic, partition, each.offset, metadata=each.metadata)
            for partition, each in sorted(commits.items())
        ]
        try:
            _check(self._consumer.commit(offsets=rows, asynchronous=False) or ())
        except KafkaException as error:
            if _code(error) in _MEMBERS:
                return False
            raise self._failure(error, "Read") from None
        return True

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()

    def _failure(self, error: Exception, right: str) -> InputError | NoAnswer:
        code = _code(error)
        if code in _RIGHTS:
            kind = _RIGHTS[code]
            name = self.topic if kind == "topic" else self.name
            return InputError(
                f"no right to take over {kind} {name!r}; the user needs the right {right} on it "
                f"(kafka-acls --add --operation {right} --{kind} {name})"
            )
        if code in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION):
            return InputError(f"topic {self.topic!r} does not exist any more")
        inner = error.args[0] if error.args else None
        why = f" ({printable(inner.str())})" if isinstance(inner, KafkaError) else ""
        return NoAnswer(f"no answer about group {self.name!r} within {CALL_S:g} s{why}")


def _code(error: Exception) -> int | None:
    inner = error.args[0] if error.args else None
    return inner.code() if isinstance(inner, KafkaError) else None


def _check(rows: Iterable[TopicPartition]) -> None:
    """Raise KafkaException for the first partition that was refused."""
    for row in rows:
        if row.error is not None:
            raise KafkaException(row.error)
