"""How many partitions each topic has that a group reads, and how many members they keep busy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.assignment.assignors import assignor_names
from algorithms.core.arrays import MAX_PARTITIONS, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError

PER_TOPIC = ("range", "kip848_range", "kip169")
"""Assignors that take each topic on its own: members beyond its partitions get none of it."""


def check_sizes(topics: Sequence[int] | Longs | None, partitions: int) -> tuple[int, ...]:
    """Return the partitions of each topic as plain numbers.

    topics: At least 1 each, in the order of the topics' names. Default: one topic.
    Raises InvalidParameterError if they do not sum to `partitions`.

    >>> check_sizes([3, 1], 4), check_sizes(None, 4)
    ((3, 1), (4,))
    """
    if topics is None:
        return (partitions,)
    allowed = "topics must be a sequence of integers, the partitions of each topic"
    if isinstance(topics, str | bytes) or not isinstance(topics, Sequence | np.ndarray):
        raise InvalidParameterError(f"{allowed} (got {type(topics).__name__})")
    sizes = tuple(
        check_count(f"topics[{t}]", size, 1, MAX_PARTITIONS) for t, size in enumerate(topics)
    )
    if sum(sizes) != partitions:
        raise InvalidParameterError(
            f"topics must sum to the number of partitions, {partitions} (got {sum(sizes)})"
        )
    return sizes


def most_useful(assignor: str, topics: Sequence[int]) -> int:
    """Most members of a group of which each gets a partition.

    Returns: the partitions of the largest topic for the assignors in `PER_TOPIC`, those of all
        topics for the others. Further members stay idle.

    >>> most_useful("range", (3, 3)), most_useful("roundrobin", (3, 3))
    (3, 6)
    """
    assignor_names.code_of(assignor)
    sizes = check_sizes(topics, sum(topics))
    if not sizes:
        raise InvalidParameterError("topics must hold at least one topic (got none)")
    return max(sizes) if assignor in PER_TOPIC else sum(sizes)


def starts_of(sizes: Sequence[int]) -> Longs:
    """Column at which each of T topics starts, and the number of columns: ``int64[T + 1]``."""
    return np.concatenate(([0], np.cumsum(np.asarray(sizes, np.int64)))).astype(np.int64)


def by_number(sizes: Sequence[int]) -> Longs:
    """Columns of all topics by partition number, then topic: ``int64[P]``.

    >>> by_number((3, 2)).tolist()
    [0, 3, 1, 4, 2]
    """
    numbers = np.concatenate([np.arange(size) for size in sizes])
    return np.argsort(numbers, kind="stable").astype(np.int64)
