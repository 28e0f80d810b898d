"""Which incarnation of a consumer the controller asks for, from topic `state`."""

from __future__ import annotations

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from live.live_settings import LiveSettings
from live.protocol import group_records


class LaunchOrders:
    """Follows the record of one consumer."""

    def __init__(self, settings: LiveSettings, slot: int) -> None:
        self._key = group_records.consumer_key(slot)
        self._asked: int | None = None
        self._is_caught_up = False
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

    def next(self, after: int, wait_s: float) -> int | None:
        """The incarnation to start, if it is a later one; None if none is asked for in time.

        after: The last incarnation that was started here; 0 for none.
        """
        for message in self._reader.consume(100, wait_s):
            error = message.error()
            if error is None and message.key() == self._key:
                self._asked = group_records.asked_incarnation(message.value())
            elif error is not None and error.code() == KafkaError._PARTITION_EOF:
                self._is_caught_up = True
        # Until the end is reached, a later record may say that it is not asked for any more.
        if not self._is_caught_up or self._asked is None or self._asked <= after:
            return None
        return self._asked

    def close(self) -> None:
        """End reading."""
        self._reader.close()
