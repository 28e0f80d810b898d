"""Topics of a trace's partitions, which are named ``topic/partition`` where a file has topics."""

from __future__ import annotations

from collections.abc import Sequence

Topics = tuple[tuple[int, ...], ...]
"""Indexes of each topic's partitions, in Kafka's order."""


def of(partitions: Sequence[str]) -> Topics:
    """Topics in order of appearance; partitions without a topic in their name are of one.

    Partitions with numbers are in ascending order, as in Kafka; others keep theirs.

    >>> of(["orders/10", "orders/2", "clicks/0"])
    ((1, 0), (2,))
    >>> of(["a", "b"])
    ((0, 1),)
    """
    members: dict[str, list[int]] = {}
    for index, name in enumerate(partitions):
        members.setdefault(name.rpartition("/")[0], []).append(index)
    return tuple(tuple(_in_order(partitions, indexes)) for indexes in members.values())


def _in_order(partitions: Sequence[str], indexes: list[int]) -> list[int]:
    numbers = [partitions[index].rpartition("/")[2] for index in indexes]
    if not all(number.isascii() and number.isdigit() for number in numbers):
        return indexes
    return [index for _, index in sorted(zip(map(int, numbers), indexes, strict=True))]


def largest(topics: Topics) -> int:
    """Partitions of the largest topic."""
    return max(map(len, topics))


def are_dealt_in_turn(topics: Topics, n: int) -> bool:
    """Whether the range assignor gives partition ``i`` to consumer ``i mod n``, as ``kd_n`` does.

    >>> are_dealt_in_turn(((0, 1), (2, 3)), 2), are_dealt_in_turn(((0, 1, 2), (3, 4)), 2)
    (True, False)
    """
    return all(
        len(topic) <= n and all(index % n == place for place, index in enumerate(topic))
        for topic in topics
    )
