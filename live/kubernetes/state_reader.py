"""Reads topic `state` from its beginning, and says when all of it was read."""

from __future__ import annotations

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from live.live_settings import LiveSettings

_AT_ONCE = 100
"""Records that are read at once."""


class StateReader:
    """Follows the records that controllers have committed."""

    def __init__(self, settings: LiveSettings) -> None:
        self._reader = Consumer(
            {
                **settings.security.confluent,
                "bootstrap.servers": settings.bootstrap,
                "group.id": "unused",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 100,
                "log_level": 2,
            }
        )
        self._reader.assign([TopicPartition(settings.topic("state"), 0, OFFSET_BEGINNING)])
        self.is_caught_up = False
        """Whether the end was reached: until then, a later record may say otherwise."""

    def read(self, wait_s: float) -> list[tuple[bytes, bytes | None]]:
        """Keys and values of the next records; none if there are none in time."""
        records: list[tuple[bytes, bytes | None]] = []
        for message in self._reader.consume(_AT_ONCE, wait_s):
            error, key = message.error(), message.key()
            if error is None and isinstance(key, bytes):
                value = message.value()
                records.append((key, value if isinstance(value, bytes) else None))
            elif error is not None and error.code() == KafkaError._PARTITION_EOF:
                self.is_caught_up = True
        return records

    def close(self) -> None:
        """End reading."""
        self._reader.close()
