"""Messages in a topic with one partition, as they arrive."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from pipeline.live.controller.transactions import CALL_S, BrokerSilent
from pipeline.live.protocol.message_checks import InvalidMessage
from pipeline.live.protocol.messages import Received, decode

_AWAY = (KafkaError._ALL_BROKERS_DOWN, KafkaError._TRANSPORT)


class TopicReader:
    """Reads partition 0 of a topic from its present end on.

    Parameters
    ----------
    bootstrap
        Addresses of the brokers.
    topic
        The topic.
    properties
        Further settings of the client, such as ``sasl.username``.

    Attributes
    ----------
    is_silent
        Whether the brokers have gone since the last message.
    invalid
        Messages so far that were not understood.
    """

    def __init__(
        self, bootstrap: str, topic: str, properties: Mapping[str, object] | None = None
    ) -> None:
        self.is_silent = False
        self.invalid = 0
        self._reader = Consumer(
            {
                **(properties or {}),
                "bootstrap.servers": bootstrap,
                "group.id": "unused",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 20,
                "error_cb": self._error,
                "log_level": 2,
            }
        )
        self._reader.assign([TopicPartition(topic, 0, self._end(topic))])

    def arrived(self, wait_s: float) -> Iterator[Received]:
        """Messages that have arrived; waits for the first one at most as long as given."""
        for message in self._reader.consume(1000, wait_s):
            value = message.value()
            if message.error() or value is None:
                continue
            self.is_silent = False
            try:
                yield decode(value)
            except InvalidMessage:
                self.invalid += 1

    def close(self) -> None:
        """End reading."""
        self._reader.close()

    def _end(self, topic: str) -> int:
        until = time.monotonic() + CALL_S
        while True:
            try:
                _, end = self._reader.get_watermark_offsets(TopicPartition(topic, 0), CALL_S)
                return int(end)
            except KafkaException as error:
                if time.monotonic() > until:
                    raise BrokerSilent(f"{topic}: {error}") from error

    def _error(self, error: KafkaError) -> None:
        self.is_silent |= error.code() in _AWAY
