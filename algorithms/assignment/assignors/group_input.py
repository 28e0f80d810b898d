"""A group that reads several topics: its members, who reads what and who owns what, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, check_count
from algorithms.core.input_errors import InvalidParameterError

Partition = tuple[str, int]
"""Topic and partition number."""

Owned = Mapping[str, Iterable[Partition]]
Subscriptions = Mapping[str, Iterable[str]]


class GroupInput(NamedTuple):
    """What an assignor reads. Members are called by their position, by ascending id."""

    members: tuple[str, ...]
    """Ids, ascending."""
    topics: dict[str, int]
    """Partitions of each topic that has readers, by ascending name."""
    readers: dict[str, tuple[int, ...]]
    """Members that read each of these topics, ascending."""
    owned: tuple[frozenset[Partition], ...]
    """Partitions that each member owns, of any topic."""
    equal: bool
    """Whether all members read the same topics."""

    @property
    def columns(self) -> list[Partition]:
        """All partitions that have readers, by topic, then number."""
        return [(topic, p) for topic, count in self.topics.items() for p in range(count)]

    def kept(self) -> list[set[Partition]]:
        """What each member owns of the topics that it still reads."""
        return [
            {one for one in owned if m in self.readers.get(one[0], ())}
            for m, owned in enumerate(self.owned)
        ]


def check_group_input(
    topics: Mapping[str, int],
    members: Sequence[str],
    owned: Owned | None,
    subscriptions: Subscriptions | None,
) -> GroupInput:
    """Return the arguments of `assign_group` in one form, or raise `InvalidParameterError`."""
    sizes = _topics(topics)
    ids = _members(members)
    read = _subscriptions(ids, sizes, subscriptions)
    readers = {t: tuple(m for m, topics in enumerate(read) if t in topics) for t in sizes}
    return GroupInput(
        ids,
        {topic: count for topic, count in sizes.items() if readers[topic]},
        {topic: positions for topic, positions in readers.items() if positions},
        _owned(ids, sizes, owned),
        len(set(read)) == 1,
    )


def _topics(topics: object) -> dict[str, int]:
    counts = _mapping("topics", topics, "numbers of partitions by topic")
    for topic in counts:
        _check_text("topics must be named by text", topic)
    return {
        topic: check_count(f"topics[{topic!r}]", counts[topic], 1, MAX_PARTITIONS)
        for topic in sorted(counts)
    }


def _members(members: object) -> tuple[str, ...]:
    ids = _items("members", members, "member ids")
    for one in ids:
        _check_text("members must be ids as text", one)
    if not ids:
        raise InvalidParameterError("members must hold at least one member id (got none)")
    twice = next((one for one in ids if ids.count(one) > 1), None) if _repeats(ids) else None
    if twice is not None:
        raise InvalidParameterError(f"members must be distinct (got {twice!r} more than once)")
    return tuple(sorted(ids))


def _subscriptions(
    ids: tuple[str, ...], sizes: Mapping[str, int], subscriptions: object
) -> list[frozenset[str]]:
    """Topics that each member reads, also those that do not exist."""
    if subscriptions is None:
        return [frozenset(sizes)] * len(ids)
    by_member = _mapping("subscriptions", subscriptions, "topics by member")
    result = []
    for member in ids:
        if member not in by_member:
            raise InvalidParameterError(
                f"subscriptions must have the topics of each member (got none for {member!r})"
            )
        field = f"subscriptions[{member!r}]"
        read = _items(field, by_member[member], "topics")
        for topic in read:
            _check_text(f"{field} must name topics by text", topic)
        result.append(frozenset(read))
    return result


def _owned(
    ids: tuple[str, ...], sizes: Mapping[str, int], owned: object
) -> tuple[frozenset[Partition], ...]:
    if owned is None:
        return (frozenset(),) * len(ids)
    by_member = _mapping("owned", owned, "partitions by member")
    owners: dict[Partition, str] = {}
    result = []
    for member in ids:
        field = f"owned[{member!r}]"
        pairs = [
            _pair(field, one, sizes)
            for one in _items(field, by_member.get(member, ()), "partitions")
        ]
        for pair in pairs:
            if pair in owners:
                raise InvalidParameterError(
                    f"owned must name one owner of each partition (got {owners[pair]!r} and "
                    f"{member!r} for partition {pair[1]} of {pair[0]!r})"
                )
            owners[pair] = member
        result.append(frozenset(pairs))
    return tuple(result)


def _pair(field: str, value: object, sizes: Mapping[str, int]) -> Partition:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InvalidParameterError(f"{field} must hold pairs (topic, partition) (got {value!r})")
    topic, partition = value
    _check_text(f"{field} must name topics by text", topic)
    most = sizes.get(topic, MAX_PARTITIONS) - 1
    return topic, check_count(f"partitions of {topic!r} in {field}", partition, 0, most)


def _mapping(field: str, value: object, content: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidParameterError(f"{field} must be a mapping, {content} (got {value!r:.80})")
    return value


def _items(field: str, value: object, content: str) -> list[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable | np.ndarray):
        raise InvalidParameterError(f"{field} must be a list of {content} (got {value!r:.80})")
    return list(value)


def _repeats(ids: Sequence[object]) -> bool:
    return len(set(ids)) < len(ids)


def _check_text(allowed: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidParameterError(f"{allowed} (got {value!r:.80})")
