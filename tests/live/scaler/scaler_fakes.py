"""A group and its clients that answer as tests say."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from live.scaler.group_look import Look, Member
from live.scaler.scaler_settings import ScalerTarget

STRATEGY = "linear:f_up=0.9:f_down=0.81"
"""A replica for each 90 events/s, where one serves 100."""

TARGET = ScalerTarget(
    topics=("orders",), group="billing", strategy=STRATEGY, mu=100.0, max_replicas=9, min_replicas=1
)


def failure(code: int) -> KafkaException:
    return KafkaException(KafkaError(code))


def look(
    at_s: float,
    *ends: int,
    committed: tuple[int | None, ...] = (),
    members: int = 2,
    sizes: tuple[int, ...] = (),
) -> Look:
    """A look at partitions with these ends, which members on hosts of their own share."""
    offsets = committed or ends
    named = tuple(
        Member(f"m{n}", f"h{n}", tuple(range(n, len(ends), members))) for n in range(members)
    )
    begins = {p: 0 for p, offset in enumerate(offsets) if offset is None}
    return Look(at_s, ends, offsets, begins, (1,) * len(ends), named, sizes or (len(ends),))


class Clients:
    """A cluster with topic orders of three partitions, each led by a broker of its own.

    Tests break it, and add topics.
    """

    def __init__(self) -> None:
        self.admin = self.consumer = self
        self.topics = {"orders": Topic({0: 1, 1: 2, 2: 3}, {0: 10, 1: 20, 2: 30})}
        self.topics["orders"].committed_offsets = {0: 4, 1: -1001, 2: 30}
        self.group: Any = SimpleNamespace(state=SimpleNamespace(name="STABLE"), members=[])
        self.fault_text = ""
        self.asked: list[str] = []

    def join(self, name: str, host: str, *partitions: int, topic: str = "orders") -> None:
        """Let a member own partitions of a topic, besides those it has."""
        places = [TopicPartition(topic, partition) for partition in partitions]
        for member in self.group.members:
            if member.member_id == name:
                member.assignment.topic_partitions += places
                return
        assignment = SimpleNamespace(topic_partitions=places)
        self.group.members.append(SimpleNamespace(member_id=name, host=host, assignment=assignment))

    def now_s(self) -> float:
        return 7.0

    def fault(self) -> str:
        return self.fault_text

    def describe_topics(self, topics: Any, request_timeout: float) -> dict[str, Any]:
        self.asked.append("topic")
        return {name: _future(self._described(name)) for name in topics.topic_names}

    def _described(self, name: str) -> Any:
        topic = self.topics.get(name)
        if topic is None or topic.error is not None:
            absent = failure(KafkaError.UNKNOWN_TOPIC_OR_PART)
            return absent if topic is None else topic.error
        rows = [
            SimpleNamespace(id=p, leader=None if broker is None else SimpleNamespace(id=broker))
            for p, broker in topic.leaders.items()
        ]
        return SimpleNamespace(partitions=rows)

    def describe_consumer_groups(self, groups: list[str], request_timeout: float) -> dict[str, Any]:
        self.asked.append("group")
        return {groups[0]: _future(self.group)}

    def offsets_for_times(self, places: list[TopicPartition], timeout: float) -> list[Any]:
        self.asked.append("offsets")
        rows = []
        for place in places:
            end = self.topics[place.topic].ends[place.partition]
            if isinstance(end, Exception):
                raise end
            at = 0 if place.offset == -2 else end
            rows.append(SimpleNamespace(partition=place.partition, offset=at, error=None))
        return rows

    def committed(self, places: list[TopicPartition], timeout: float) -> list[Any]:
        self.asked.append("committed")
        rows = []
        for place in places:
            value = self.topics[place.topic].committed_offsets[place.partition]
            error = value if isinstance(value, KafkaError) else None
            offset = -1001 if error else value
            rows.append(SimpleNamespace(partition=place.partition, offset=offset, error=error))
        return rows

    def list_topics(self, *_: Any, **__: Any) -> None:
        raise failure(KafkaError._TRANSPORT)


@dataclass
class Topic:
    """A topic of the cluster, by partition."""

    leaders: dict[int, int | None]
    ends: dict[int, int | Exception]
    committed_offsets: dict[int, Any] = field(default_factory=dict)
    error: Exception | None = None

    def __post_init__(self) -> None:
        self.committed_offsets = self.committed_offsets or dict(self.ends)

    @classmethod
    def of(cls, partitions: int, end: int = 0) -> Topic:
        """A topic whose records are all committed."""
        every = range(partitions)
        return cls({number: 1 + number % 3 for number in every}, dict.fromkeys(every, end))


def _future(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future
