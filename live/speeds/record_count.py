"""Number of records in a topic's logs, from the offsets of their ends."""

from __future__ import annotations

import time
from collections.abc import Mapping

from live.kafka import log_offsets
from live.speeds.log_overhead import Count


class RecordCount:
    """Counts the records of a topic.

    bootstrap: Addresses of the brokers, ``host:port,…``.
    topic, partitions: Name of the topic, and its number of partitions.
    properties: Further settings of the client, such as ``sasl.username``.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        properties: Mapping[str, object] | None = None,
    ) -> None:
        self._reader = log_offsets.reader(bootstrap, properties)
        self._topic, self._partitions = topic, range(partitions)

    def read(self, seconds: float) -> Count | None:
        """Records in all partitions; None if not all of them answer in time."""
        first = log_offsets.beginnings(self._reader, self._topic, self._partitions, seconds)
        before = time.monotonic()
        last = log_offsets.ends(self._reader, self._topic, self._partitions, seconds)
        if min(len(first), len(last)) < len(self._partitions):
            return None
        at_s = (before + time.monotonic()) / 2
        return Count(at_s, sum(last.values()) - sum(first.values()))
