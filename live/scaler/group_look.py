"""A look at a group: every partition's offsets and leader, and all members, or an error.

Nothing is summed over part of the partitions: a look that is not complete is none. Only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

from confluent_kafka import KafkaException, TopicCollection, TopicPartition

from live.groups.group_lag import offsets_of
from live.kafka import log_offsets
from live.scaler import look_refusals

_DEAD = "DEAD"


class NoLook(Exception):
    """The look is not complete; the text says why, in one line."""


class Member(NamedTuple):
    """A member of the group."""

    name: str
    host: str
    partitions: tuple[int, ...]
    """Its partitions, as places in the look's tuples."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a group and its topics were at one moment; tuples have an entry per partition.

    Partitions are in the order of simulations: topics by name, then numbers.
    """

    at_s: float
    """Time of the monotonic clock, seconds."""
    ends: tuple[int, ...]
    """Offsets of the next records."""
    committed: tuple[int | None, ...]
    """Offsets of the group; None where it has surely committed nothing."""
    begins: Mapping[int, int]
    """Offsets of the first records, of the partitions without a commit."""
    leaders: tuple[int, ...]
    """Brokers that lead."""
    members: tuple[Member, ...]
    """In ascending order of their names."""
    sizes: tuple[int, ...]
    """Partitions of each topic."""

    @property
    def lags(self) -> list[int]:
        """Records that are not committed; all that is stored where nothing is."""
        return [
            max(end - (self.begins[p] if offset is None else offset), 0)
            for p, (end, offset) in enumerate(zip(self.ends, self.committed, strict=True))
        ]

    @property
    def owners(self) -> list[int]:
        """Index of each partition's member in `members`, -1 for none."""
        owners = [-1] * len(self.ends)
        for index, member in enumerate(self.members):
            for partition in member.partitions:
                if partition < len(owners):
                    owners[partition] = index
        return owners


class Clients(Protocol):
    """The clients of a cluster that looks are taken with."""

    admin: Any
    """Client of confluent-kafka for questions about the cluster."""
    consumer: Any
    """Consumer with the group's name that never joins it."""

    def now_s(self) -> float:
        """The monotonic clock, seconds."""

    def fault(self) -> str:
        """Why brokers do not answer, if the clients know."""


def take(clients: Clients, topics: Sequence[str], group: str, seconds: float) -> Look:
    """Look at a group.

    topics: Those that it reads.
    seconds: Time within which brokers must answer each question.
    Raises NoLook if anything is missing, in any topic.
    """
    asked = _Asked(clients, sorted(topics), group, seconds)
    leaders = asked.leaders()
    sizes = tuple(map(len, leaders))
    members = asked.members(sizes)
    before_s = clients.now_s()
    ends = asked.ends(leaders)
    at_s = (before_s + clients.now_s()) / 2
    committed = asked.committed(leaders)
    return Look(
        at_s,
        tuple(ends),
        tuple(None if offset < 0 else offset for offset in committed),
        asked.begins(leaders, committed),
        tuple(leader for own in leaders for leader in own),
        members,
        sizes,
    )


class _Asked:
    """Questions of one look; answers are in the order of the look's partitions."""

    def __init__(self, clients: Clients, topics: Sequence[str], group: str, seconds: float) -> None:
        self._clients, self._topics, self._group = clients, topics, group
        self._seconds = seconds

    def leaders(self) -> list[list[int]]:
        """Leader of each partition, by topic."""
        every = TopicCollection(list(self._topics))
        with self._refused(self._topics[0]):
            # A description: other requests may create the topic.
            futures = self._clients.admin.describe_topics(every, request_timeout=self._seconds)
        return [self._leaders(topic, futures[topic]) for topic in self._topics]

    def _leaders(self, topic: str, future: Any) -> list[int]:
        with self._refused(topic):
            partitions = future.result(self._seconds + 1).partitions
        leaders = {each.id: -1 if each.leader is None else each.leader.id for each in partitions}
        without = [p for p, leader in sorted(leaders.items()) if leader < 0]
        if without or sorted(leaders) != list(range(len(leaders))) or not leaders:
            raise NoLook(look_refusals.no_leader(topic, without))
        return [leader for _, leader in sorted(leaders.items())]

    def members(self, sizes: Sequence[int]) -> tuple[Member, ...]:
        """All members with what they own of the topics, which have `sizes` partitions."""
        with self._refused(self._topics[0]):
            future = self._clients.admin.describe_consumer_groups(
                [self._group], request_timeout=self._seconds
            )[self._group]
            description = future.result(self._seconds + 1)
        if getattr(description.state, "name", "") == _DEAD:
            raise NoLook(look_refusals.no_group(self._group))
        firsts = dict(zip(self._topics, accumulate(sizes, initial=0), strict=False))
        own = dict(zip(self._topics, sizes, strict=True))
        members = (
            Member(
                each.member_id,
                each.host,
                tuple(
                    firsts[place.topic] + place.partition
                    for place in each.assignment.topic_partitions
                    # An assignment can be of a time when the topic had other partitions.
                    if place.partition < own.get(place.topic, 0)
                ),
            )
            for each in description.members
        )
        return tuple(sorted(members))

    def ends(self, leaders: Sequence[Sequence[int]]) -> list[int]:
        """Offsets of the next records."""
        every = []
        for topic, own in zip(self._topics, leaders, strict=True):
            numbers = range(len(own))
            found = log_offsets.ends(self._clients.consumer, topic, numbers, self._seconds)
            every += self._complete("end offset", topic, found, numbers, own)
        return every

    def committed(self, leaders: Sequence[Sequence[int]]) -> list[int]:
        """Offsets of the group; negative where it has surely committed nothing."""
        every = []
        for topic, own in zip(self._topics, leaders, strict=True):
            numbers = range(len(own))
            places = [TopicPartition(topic, number) for number in numbers]
            with self._refused(topic):
                answered = self._clients.consumer.committed(places, timeout=self._seconds)
                found = offsets_of(answered)
            every += self._complete("committed offset", topic, found, numbers, own)
        return every

    def begins(self, leaders: Sequence[Sequence[int]], committed: Sequence[int]) -> dict[int, int]:
        """Offsets of the first records by place, of the partitions without a commit."""
        every: dict[int, int] = {}
        first = 0
        for topic, own in zip(self._topics, leaders, strict=True):
            numbers = [number for number in range(len(own)) if committed[first + number] < 0]
            found = log_offsets.beginnings(self._clients.consumer, topic, numbers, self._seconds)
            offsets = self._complete("first offset", topic, found, numbers, own)
            every |= {first + n: offset for n, offset in zip(numbers, offsets, strict=True)}
            first += len(own)
        return every

    def _complete(
        self,
        what: str,
        topic: str,
        found: Mapping[int, int],
        numbers: Sequence[int],
        leaders: Sequence[int],
    ) -> list[int]:
        """What was found of each of a topic's partitions. Raises NoLook if one is missing."""
        missing = [number for number in numbers if number not in found]
        if missing:
            brokers = sorted({leaders[number] for number in missing})
            of_topic = f" of topic {topic!r}" if len(self._topics) > 1 else ""
            parts = f"{what} of {look_refusals.listed(missing)}{of_topic}"
            raise NoLook(look_refusals.no_answer(parts, brokers, self._seconds))
        return [found[number] for number in numbers]

    @contextmanager
    def _refused(self, topic: str) -> Iterator[None]:
        """Say why a question, such as one about a topic, has no answer."""
        try:
            yield
        except (KafkaException, OutOfTime) as error:
            fault = self._clients.fault()
            reason = look_refusals.reason(error, topic, self._group, fault, self._seconds)
            raise NoLook(reason) from None
