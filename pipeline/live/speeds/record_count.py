"""Number of records in a topic's logs, from the offsets of their ends."""

from __future__ import annotations

import time
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

from pipeline.live.broker import admin_client
from pipeline.live.speeds.log_overhead import Count

UNKNOWN = -1
"""Offsets up to this one mean that the partition's leader has not answered."""


class RecordCount:
    """Counts the records of a topic.

    Parameters
    ----------
    bootstrap
        Addresses of the brokers, ``host:port,…``.
    topic, partitions
        Name of the topic, and its number of partitions.
    """

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self._client = admin_client.connect(bootstrap)
        self._partitions = [TopicPartition(topic, number) for number in range(partitions)]

    def read(self, seconds: float) -> Count | None:
        """Records in all partitions; None if not all of them answer in time."""
        kinds: Any = OffsetSpec
        first = self._sum(kinds.earliest(), seconds)
        before = time.monotonic()
        last = self._sum(kinds.latest(), seconds)
        if first is None or last is None:
            return None
        return Count((before + time.monotonic()) / 2, last - first)

    def _sum(self, spec: Any, seconds: float) -> int | None:
        wanted = {partition: spec for partition in self._partitions}
        try:
            futures = self._client.list_offsets(wanted, request_timeout=seconds)
            offsets = [int(future.result(seconds).offset) for future in futures.values()]
        except (KafkaException, OutOfTime):
            offsets = [UNKNOWN]
        if min(offsets) > UNKNOWN:
            return sum(offsets)
        # The client asks a former leader for ever, unless it looks for the present one.
        with suppress(KafkaException):
            self._client.list_topics(timeout=seconds)
        return None
