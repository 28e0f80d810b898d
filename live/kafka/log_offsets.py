"""Offsets at which partitions begin and end, asked by a consumer that never subscribes.

The admin client's ``list_offsets`` ends the process where a broker stops at a bad moment (an
assertion in librdkafka 2.16.0, rdkafka_queue.h). A consumer's calls do not.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaException, TopicPartition

_LEAST_S = 0.05
"""Shortest time in which a partition is asked for alone, seconds."""


def reader(bootstrap: str, properties: Mapping[str, object] | None = None) -> Consumer:
    """A consumer that sees what open transactions have written, with further properties."""
    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            # The client requires a name; no group is joined and nothing is committed.
            "group.id": "unused",
            "enable.auto.commit": False,
            "isolation.level": "read_uncommitted",
            "reconnect.backoff.ms": 50,
            "reconnect.backoff.max.ms": 250,
            "log_level": 0,
            **(properties or {}),
        }
    )


def ends(
    consumer: Consumer, topic: str, partitions: Iterable[int], seconds: float
) -> dict[int, int]:
    """Offset of the next record by partition, of those whose leader answers in time."""
    return _asked(consumer, topic, sorted(partitions), OFFSET_END, seconds)


def beginnings(
    consumer: Consumer, topic: str, partitions: Iterable[int], seconds: float
) -> dict[int, int]:
    """Offset of the first record by partition, of those whose leader answers in time."""
    return _asked(consumer, topic, sorted(partitions), OFFSET_BEGINNING, seconds)


def _asked(
    consumer: Consumer, topic: str, partitions: Sequence[int], place: int, seconds: float
) -> dict[int, int]:
    if not partitions:
        return {}
    until = time.monotonic() + seconds
    try:
        offsets = _answered(consumer, topic, partitions, place, seconds)
    except KafkaException:
        offsets = {}
        # One partition without a leader fails them all.
        for partition in partitions if len(partitions) > 1 else ():
            left_s = (until - time.monotonic()) / len(partitions)
            with suppress(KafkaException):
                own = _answered(consumer, topic, [partition], place, max(left_s, _LEAST_S))
                offsets |= own
    if len(offsets) < len(partitions):
        # The client asks a former leader for ever, unless it looks for the present one.
        with suppress(KafkaException):
            consumer.list_topics(topic, timeout=max(until - time.monotonic(), _LEAST_S))
    return offsets


def _answered(
    consumer: Consumer, topic: str, partitions: Sequence[int], place: int, seconds: float
) -> dict[int, int]:
    # In place of a time, these numbers ask for an end.
    queries = [TopicPartition(topic, partition, place) for partition in partitions]
    rows = consumer.offsets_for_times(queries, timeout=seconds)
    return {row.partition: row.offset for row in rows if row.error is None and row.offset >= 0}
