"""Kafka's range assignor for a fixed group of consumers that reads several topics."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.assignors.block_assignors import place_range
from algorithms.assignment.kafka_static import Static
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError


def start(
    partitions: int,
    capacity: float,
    seed: int,
    *,
    n: int,
    topics: tuple[tuple[int, ...], ...] | None = None,
) -> Static:
    """Start range_n: of each topic, every consumer gets a block of neighbours, and keeps it.

    capacity, seed: Not used: this assignment ignores speeds.
    n: Number of consumers, 1 to the partitions of the largest topic; Kafka leaves any others idle.
        Their load can exceed any capacity.
    topics: Partitions of each topic, each index once, in Kafka's order. None for a single topic.

    `RangeAssignor` of Apache Kafka, the first of its default assignors, for members that all read
    the same topics. Each topic begins with the first consumer, so the consumers that come first get
    the longer blocks of every topic. A partition that departs and arrives again returns to the same
    consumer. O(P) per step.

    >>> from algorithms.assignment import registry
    >>> rates = np.ones((1, 5))
    >>> registry.get("range_2").assign(rates, 10.0, 0).tolist()
    [[0, 0, 0, 1, 1]]
    >>> registry.get("range_2").on_topics([(0, 1, 2), (3, 4)]).assign(rates, 10.0, 0).tolist()
    [[0, 0, 1, 0, 1]]
    """
    each = (tuple(range(partitions)),) if topics is None else topics
    indexes = [index for topic in each for index in topic]
    if sorted(indexes) != list(range(partitions)):
        raise InvalidParameterError(
            f"topics must hold each index between 0 and {partitions - 1} once (got {len(indexes)} "
            "indexes)"
        )
    n = check_count("n of range_n", n, 1, max(map(len, each)))
    home = np.empty(partitions, dtype=np.int32)
    for topic in each:
        consumers = np.empty(len(topic), dtype=np.int64)
        place_range(n, consumers)
        home[np.array(topic, dtype=np.intp)] = consumers
    return Static(before=np.full(partitions, -1, dtype=np.int32), home=home)
