"""One rebalance of a group that reads several topics, with checked arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from algorithms.assignment.assignors import assignor_names, unequal_sticky, unequal_uniform
from algorithms.assignment.assignors.group_input import (
    GroupInput,
    Owned,
    Partition,
    Subscriptions,
    check_group_input,
)
from algorithms.assignment.assignors.several_topics import lag_based
from algorithms.assignment.assignors.topic_sizes import PER_TOPIC
from algorithms.core.input_errors import InvalidParameterError

Lags = Mapping[str, Mapping[int, float]]


def assign_group(
    name: str,
    topics: Mapping[str, int],
    members: Sequence[str],
    owned: Owned | None = None,
    subscriptions: Subscriptions | None = None,
    lags: Lags | None = None,
) -> dict[str, list[Partition]]:
    """Assign the partitions of several topics to the members of a group, in one rebalance.

    name: Assignor; see `names`.
    topics: Number of partitions of each topic, at least 1.
    members: Ids of the present members, distinct, in any order. They are compared as text, so pad
        numbers with zeros to keep their order: "10" comes before "2".
    owned: Partitions that each member owns now. A member that is not present owns nothing. Default:
        no partition has an owner.
    subscriptions: Topics that each present member reads. Default: all members read all topics. A
        topic without readers gets no owners, and one that does not exist has no partitions.
    lags: Lags in events, finite and at least 0, which only kip169 reads. Default: 0.
    Returns: every member by ascending id, and its partitions by topic, then number. One round of
        cooperative_sticky withholds each partition that moves from one present member to another:
        it is in no list.

    Racks and static members are not modelled. Where Kafka goes through hash maps, members, topics
    and partitions are taken in ascending order: one of the orders that Kafka can have.

    - ``range``, ``kip848_range``, ``kip169``: each topic on its own, as `assign` does, among the
      members that read it.
    - ``roundrobin``: one circle of members over all partitions, by topic and then number; those
      that do not read a topic are skipped.
    - ``sticky``, ``cooperative_sticky``: if all members read the same topics, as `assign` does over
      all partitions. Members keep the lowest by number and then topic, and get the lowest by topic
      and then number. Otherwise members keep everything, and partitions are moved while that makes
      the group more even.
    - ``kip848_uniform``: if all members read the same topics, as `assign` does over all partitions
      by topic and then number. Otherwise members keep everything, and each topic is evened out.

    Three members read two topics of three partitions. Under range, the third one gets the last
    partition of both; a fourth one would get nothing.

    >>> assign_group("range", {"a": 3, "b": 3}, ["x", "y", "z"])["z"]
    [('a', 2), ('b', 2)]
    >>> assign_group("range", {"a": 3, "b": 3}, ["w", "x", "y", "z"])["z"]
    []
    >>> assign_group("roundrobin", {"a": 3, "b": 3}, ["w", "x", "y", "z"])["z"]
    [('b', 0)]
    """
    assignor_names.code_of(name)
    group = check_group_input(topics, members, owned, subscriptions)
    placed = _placed(name, group, _lags(lags, group) if name == "kip169" else {})
    if name == "cooperative_sticky":
        placed = _without_moved(placed, group)
    return {member: sorted(own) for member, own in zip(group.members, placed, strict=True)}


def _placed(name: str, group: GroupInput, lags: Lags) -> list[set[Partition]]:
    if name == "kip169":
        return _by_lag(group, lags)
    if name in PER_TOPIC:
        return _by_block(group)
    if group.equal:
        return _as_equals(name, group)
    if name == "roundrobin":
        return _by_turn(group)
    if name in ("sticky", "cooperative_sticky"):
        return unequal_sticky.place_sticky(group)
    return unequal_uniform.place_uniform(group)


def _by_block(group: GroupInput) -> list[set[Partition]]:
    """Blocks of neighbours of each topic, in the order of its readers."""
    own: list[set[Partition]] = [set() for _ in group.members]
    for topic, count in group.topics.items():
        readers = group.readers[topic]
        size, longer = divmod(count, len(readers))
        ends = np.cumsum([size + (i < longer) for i in range(len(readers))]).tolist()
        for m, first, end in zip(readers, [0, *ends], ends, strict=False):
            own[m].update((topic, p) for p in range(first, end))
    return own


def _by_turn(group: GroupInput) -> list[set[Partition]]:
    """One pointer that goes round the members and skips those that do not read a topic."""
    own: list[set[Partition]] = [set() for _ in group.members]
    at = 0
    for topic, p in group.columns:
        while at not in group.readers[topic]:
            at = (at + 1) % len(own)
        own[at].add((topic, p))
        at = (at + 1) % len(own)
    return own


def _by_lag(group: GroupInput, lags: Lags) -> list[set[Partition]]:
    read = {
        member: [topic for topic in group.topics if m in group.readers[topic]]
        for m, member in enumerate(group.members)
    }
    by_topic = {
        topic: {p: lags.get(topic, {}).get(p, 0) for p in range(count)}
        for topic, count in group.topics.items()
    }
    placed = lag_based(by_topic, read)
    return [set(placed[member]) for member in group.members]


def _as_equals(name: str, group: GroupInput) -> list[set[Partition]]:
    """The compiled assignors, which place columns on positions of members."""
    from algorithms.assignment.assignors import placement

    own: list[set[Partition]] = [set() for _ in group.members]
    columns = group.columns
    if not columns:
        return own
    owner = {one: m for m, owned in enumerate(group.owned) for one in owned}
    before = np.array([owner.get(one, placement.UNOWNED) for one in columns], np.int64)
    after = np.empty(len(columns), np.int64)
    scratch = placement.scratch(len(columns), len(own), tuple(group.topics.values()))
    # What cooperative_sticky withholds is taken away later, as for different subscriptions.
    code = assignor_names.code_of("sticky" if name == "cooperative_sticky" else name)
    placement.place(code, np.arange(len(own)), before, np.zeros(len(columns)), after, scratch)
    for one, m in zip(columns, after.tolist(), strict=True):
        own[m].add(one)
    return own


def _without_moved(placed: Iterable[set[Partition]], group: GroupInput) -> list[set[Partition]]:
    """What each member may have at once: partitions that it or no present member owned."""
    taken = set().union(*group.owned)
    return [own - (taken - owned) for own, owned in zip(placed, group.owned, strict=True)]


def _lags(lags: object, group: GroupInput) -> Lags:
    if lags is None:
        return {}
    if not isinstance(lags, Mapping):
        raise InvalidParameterError(f"lags must be a mapping of topics (got {lags!r:.80})")
    for topic, by_partition in lags.items():
        if not isinstance(by_partition, Mapping):
            raise InvalidParameterError(
                f"lags[{topic!r}] must be a mapping of partitions (got {by_partition!r:.80})"
            )
        beyond = [p for p in by_partition if p not in range(group.topics.get(topic, 2**31))]
        if beyond:
            raise InvalidParameterError(
                f"partitions of lags[{topic!r}] must be between 0 and "
                f"{group.topics.get(topic, 2**31) - 1} (got {beyond[0]!r})"
            )
    return lags
