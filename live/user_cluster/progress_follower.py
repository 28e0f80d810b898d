"""Follows a run's progress from its beginning, without asking for where it ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from live.controller import progress_rows
from live.live_settings import LiveSettings

MOST = 1000
"""Records that one call takes at most."""


class ProgressFollower:
    """Next offsets of the run's partitions, of those with progress.

    consumer: Client to use instead of a new one, for tests.
    offsets: By partition.
    """

    def __init__(self, settings: LiveSettings, consumer: Any = None) -> None:
        self._partitions = settings.partitions
        self._consumer = consumer or Consumer(
            {
                **settings.security.confluent,
                "bootstrap.servers": settings.bootstrap,
                # The client requires a name; no group is joined and nothing is committed.
                "group.id": "unused",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(settings.topic("progress"), 0, OFFSET_BEGINNING)])
        self.offsets: dict[int, int] = {}

    def look(self, wait_s: float) -> Mapping[int, int]:
        """Offsets with what has arrived, after waiting for it as long as given."""
        # What is not understood is in the controller's journal.
        rows = progress_rows.next_offsets(self._arrived(wait_s), self._partitions, lambda _: None)
        for partition, offset in rows.items():
            self.offsets[partition] = max(offset, self.offsets.get(partition, 0))
        return self.offsets

    def close(self) -> None:
        """End reading."""
        self._consumer.close()

    def _arrived(self, wait_s: float) -> Iterator[bytes]:
        for message in self._consumer.consume(MOST, wait_s):
            value = message.value()
            if not message.error() and value is not None:
                yield value
