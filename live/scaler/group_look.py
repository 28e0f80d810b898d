"""A look at a group: every partition's offsets and leader, and all members, or an error.

Nothing is summed over part of the partitions: a look that is not complete is none. Only reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition

from live.groups.group_lag import offsets_of
from live.kafka import log_offsets
from pipeline.base.text.printable import printable

_RIGHTS = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "topic",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "group",
}
_ABSENT_TOPIC = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION)
_ABSENT_GROUP = (KafkaError.GROUP_ID_NOT_FOUND,)
_DEAD = "DEAD"
_MOST_NAMED = 3


class NoLook(Exception):
    """The look is not complete; the text says why, in one line."""


class Member(NamedTuple):
    """A member of the group."""

    name: str
    host: str
    partitions: tuple[int, ...]
    """Partitions of the topic that it is assigned."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a group and its topic were at one moment; tuples have an entry per partition."""

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


def take(clients: Clients, topic: str, group: str, seconds: float) -> Look:
    """Look at a group.

    seconds: Time within which brokers must answer each question.
    Raises NoLook if anything is missing.
    """
    try:
        leaders = _leaders(clients.admin, topic, seconds)
        members = _members(clients.admin, group, topic, seconds)
        before_s = clients.now_s()
        every = range(len(leaders))
        ends = log_offsets.ends(clients.consumer, topic, every, seconds)
        at_s = (before_s + clients.now_s()) / 2
        _check_complete("end offset", ends, leaders, seconds)
        places = [TopicPartition(topic, number) for number in every]
        offsets = offsets_of(clients.consumer.committed(places, timeout=seconds))
        _check_complete("committed offset", offsets, leaders, seconds)
        unread = [p for p in every if offsets[p] < 0]
        begins = log_offsets.beginnings(clients.consumer, topic, unread, seconds)
        _check_complete("first offset", begins, {p: leaders[p] for p in unread}, seconds)
    except (KafkaException, OutOfTime) as error:
        raise NoLook(_reason(error, topic, group, clients.fault(), seconds)) from None
    return Look(
        at_s,
        tuple(ends[p] for p in every),
        tuple(None if offsets[p] < 0 else offsets[p] for p in every),
        begins,
        tuple(leaders[p] for p in every),
        members,
    )


def _leaders(admin: Any, topic: str, seconds: float) -> dict[int, int]:
    # A description: other requests may create the topic.
    future = admin.describe_topics(TopicCollection([topic]), request_timeout=seconds)[topic]
    partitions = future.result(seconds + 1).partitions
    leaders = {each.id: -1 if each.leader is None else each.leader.id for each in partitions}
    without = [p for p, leader in sorted(leaders.items()) if leader < 0]
    if without or sorted(leaders) != list(range(len(leaders))) or not leaders:
        raise NoLook(f"topic {topic!r} has no leader of {_listed(without)}; start its broker")
    return leaders


def _members(admin: Any, group: str, topic: str, seconds: float) -> tuple[Member, ...]:
    future = admin.describe_consumer_groups([group], request_timeout=seconds)[group]
    description = future.result(seconds + 1)
    if getattr(description.state, "name", "") == _DEAD:
        raise NoLook(_no_group(group))
    members = (
        Member(
            each.member_id,
            each.host,
            tuple(
                place.partition
                for place in each.assignment.topic_partitions
                if place.topic == topic
            ),
        )
        for each in description.members
    )
    return tuple(sorted(members))


def _check_complete(
    what: str, offsets: Mapping[int, int], leaders: Mapping[int, int], seconds: float
) -> None:
    missing = sorted(leaders.keys() - offsets.keys())
    if missing:
        brokers = ", ".join(str(broker) for broker in sorted({leaders[p] for p in missing}))
        raise NoLook(
            f"no {what} of {_listed(missing)} within {seconds:g} s; start broker {brokers}, or let "
            "it be reached at its advertised address"
        )


def _listed(partitions: Sequence[int]) -> str:
    names = ", ".join(map(str, partitions[:_MOST_NAMED])) or "any"
    more = len(partitions) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"partition{'s' * (len(partitions) > 1)} {names}{rest}"


def _no_group(group: str) -> str:
    return f"group {group!r} does not exist; start a member, or correct `group`"


def _reason(error: Exception, topic: str, group: str, fault: str, seconds: float) -> str:
    inner = error.args[0] if isinstance(error, KafkaException) and error.args else None
    code = inner.code() if isinstance(inner, KafkaError) else None
    if code in _RIGHTS:
        kind = _RIGHTS[code]
        name = topic if kind == "topic" else group
        return (
            f"no permission to describe {kind} {name!r}; the user needs the right Describe on it "
            f"(kafka-acls --add --operation Describe --{kind} {name})"
        )
    if code in _ABSENT_TOPIC:
        return f"topic {topic!r} does not exist; create it, or correct `topic`"
    if code in _ABSENT_GROUP:
        return _no_group(group)
    if fault:
        return fault
    text = printable(inner.str()) if isinstance(inner, KafkaError) else ""
    return f"no broker answers within {seconds:g} s{f' ({text})' if text else ''}"
