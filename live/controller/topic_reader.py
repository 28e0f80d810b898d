"""Messages in a topic with one partition, as they arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from live.controller.transactions import CALL_S, BrokerSilent
from live.protocol.message_checks import InvalidMessage
from live.protocol.messages import Received, decode

PART_S = 0.02
"""Time between two looks for what has arrived, seconds."""

_AWAY = (KafkaError._ALL_BROKERS_DOWN, KafkaError._TRANSPORT)


class TopicReader:
    """Reads partition 0 of a topic from its present end on.

    reject: Called with an explanation for each message that is not understood; it is left out.
    properties: Further settings of the client, such as ``sasl.username``.
    is_silent: Whether the brokers have gone since their last message or answer.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        reject: Callable[[str], None],
        properties: Mapping[str, object] | None = None,
    ) -> None:
        self.is_silent = False
        self._topic, self._reject = topic, reject
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
        self._next = self._end()
        self._reader.assign([TopicPartition(topic, 0, self._next)])

    def arrived(self, wait_s: float) -> Iterator[Received]:
        """Messages that have arrived, after waiting for them as long as given."""
        for message in self._reader.consume(1000, wait_s):
            if message.error():
                continue
            self.is_silent = False
            self._next = (message.offset() or 0) + 1
            received = self._received(message)
            if received is not None:
                yield received

    def reject(self, why: str) -> None:
        """Reject a message that has arrived, and makes no sense here."""
        self._reject(why)

    def rest(self, seconds: float) -> list[Received]:
        """Messages up to the topic's present end; if they are late, the broker is silent."""
        until = time.monotonic() + seconds
        messages: list[Received] = []
        try:
            end = self._ask(seconds)
        except KafkaException:
            self.is_silent = True
            return messages
        self.is_silent = False
        while self._next < end and not self.is_silent:
            messages += self.arrived(PART_S)
            self.is_silent = self._next < end and time.monotonic() > until
        return messages

    def close(self) -> None:
        """End reading."""
        self._reader.close()

    def _received(self, message: Message) -> Received | None:
        try:
            return decode(message.value() or b"")
        except InvalidMessage as invalid:
            self._reject(f"offset {message.offset()}: {invalid}")
            return None

    def _ask(self, seconds: float) -> int:
        _, end = self._reader.get_watermark_offsets(TopicPartition(self._topic, 0), seconds)
        return int(end)

    def _end(self) -> int:
        until = time.monotonic() + CALL_S
        while True:
            try:
                return self._ask(CALL_S)
            except KafkaException as error:
                if time.monotonic() > until:
                    raise BrokerSilent(f"{self._topic}: {error}") from error

    def _error(self, error: KafkaError) -> None:
        self.is_silent |= error.code() in _AWAY
