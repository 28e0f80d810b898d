"""The lag-aware assignor of KIP-169 for several topics, and the lag that it is based on."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping

import numpy as np

from algorithms.core.input_errors import InvalidParameterError


def lag_based(
    lags: Mapping[str, Mapping[int, float]], subscriptions: Mapping[str, Iterable[str]]
) -> dict[str, list[tuple[str, int]]]:
    """Assign the partitions of several topics by lag, each topic on its own.

    lags: Lags in events, finite and at least 0. A topic without subscribers is left out.
    subscriptions: Topics that each member reads; they may differ between members, and a topic
        without lags gives no partitions. Ids are text, compared by code point.
    Returns: every member by ascending id, with its partitions in the order in which it got them:
        topics by name, then partitions by descending lag.

    KIP-169 (Neale 2017). In each topic, partitions are taken by descending lag, ties by partition.
    Each one goes to the subscriber with the fewest partitions *of this topic*, then the least lag
    of this topic, then the first id. Topics do not affect each other, so a member that reads many
    topics can get more than another. Present owners do not count either. O(P log P + P log M) per
    topic.

    >>> lag_based({"t": {0: 100_000, 1: 60_000, 2: 50_000}}, {"a": ["t"], "b": ["t"]})
    {'a': [('t', 0)], 'b': [('t', 1), ('t', 2)]}
    """
    subscribers = _subscribers(subscriptions)
    assignment: dict[str, list[tuple[str, int]]] = {member: [] for member in sorted(subscriptions)}
    for topic in sorted(subscribers):
        by_partition = lags.get(topic, {})
        _check_lags(topic, by_partition)
        # An entry per subscriber: partitions so far, lag so far, id. Sorted lists are heaps.
        heap: list[tuple[int, float, str]] = [(0, 0, member) for member in subscribers[topic]]
        for partition in sorted(by_partition, key=lambda p: (-by_partition[p], p)):
            size, load, member = heap[0]
            heapq.heapreplace(heap, (size + 1, load + by_partition[partition], member))
            assignment[member].append((topic, int(partition)))
    return assignment


def lag(committed: int | None, begin: int, end: int, reset: str) -> int:
    """Lag of a partition from its offsets, as KIP-169 computes it.

    committed: Committed offset of the group, None if there is none.
    begin, end: First offset of the partition, and the one that its next event will have.
    reset: Reset policy of the consumers. Without a committed offset, they start at the end if it is
        ``latest``, in any case of letters, and else at the beginning.
    Returns: events between the next offset to be read and the end, at least 0.

    >>> lag(5_555, 1_111, 9_999, "none"), lag(None, 1_111, 9_999, "Latest")
    (4444, 0)
    """
    first, last = _offset("begin", begin), _offset("end", end)
    if not isinstance(reset, str):
        raise InvalidParameterError(f"reset must be text such as 'latest' (got {reset!r})")
    if committed is not None:
        position = _offset("committed", committed)
    else:
        position = last if reset.lower() == "latest" else first
    return max(last - position, 0)


def _subscribers(subscriptions: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Members by topic, ascending."""
    if not subscriptions:
        raise InvalidParameterError("subscriptions must hold at least one member (got none)")
    for member in subscriptions:
        _check_text("member ids of subscriptions", member)
    subscribers: dict[str, list[str]] = {}
    for member in sorted(subscriptions):
        topics = subscriptions[member]
        if isinstance(topics, str):
            raise InvalidParameterError(
                f"subscriptions[{member!r}] must be a list of topics (got {topics!r})"
            )
        for topic in dict.fromkeys(topics):
            _check_text(f"topics of subscriptions[{member!r}]", topic)
            subscribers.setdefault(topic, []).append(member)
    return subscribers


def _check_text(field: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidParameterError(f"{field} must be text (got {value!r})")


def _check_lags(topic: str, by_partition: Mapping[int, float]) -> None:
    for partition, value in by_partition.items():
        if not _is_integer(partition) or partition < 0:
            raise InvalidParameterError(
                f"partitions of lags[{topic!r}] must be integers of at least 0 (got {partition!r})"
            )
        number = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not number or not (value >= 0 and math.isfinite(value)):
            raise InvalidParameterError(
                f"lags[{topic!r}][{partition}] must be finite and at least 0 events (got {value!r})"
            )


def _offset(field: str, value: int) -> int:
    if not _is_integer(value) or value < 0:
        raise InvalidParameterError(f"{field} must be an integer of at least 0 (got {value!r})")
    return int(value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
