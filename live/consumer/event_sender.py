"""Sends events to the controller, outside transactions.

An open transaction of a consumer that stands still would hide the events of all others from a
reader of committed messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from confluent_kafka import KafkaError, Message, Producer

from live.protocol.messages import Event, encode


class EventSender:
    """Sends events in order, some perhaps twice. now: Nanoseconds of the run's clock."""

    def __init__(self, client: Mapping[str, object], topic: str, now: Callable[[], int]) -> None:
        self._producer = Producer(dict(client))
        self._topic, self._now = topic, now
        self.failed = 0

    def send(self, event: Event) -> None:
        """Hand an event over to the client, which sends it in the background.

        An event that cannot be sent within the client's time limit is counted in `failed`: the
        controller asks again.
        """
        value = encode(event, self._now())
        try:
            self._producer.produce(self._topic, value, partition=0, on_delivery=self._delivered)
        except BufferError:
            self.failed += 1
        self._producer.poll(0)

    def flush(self, seconds: float) -> bool:
        """Wait until all events are sent; whether they are."""
        return self._producer.flush(seconds) == 0

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.failed += 1
