"""Sends measurements to the controller; those that cannot be sent at once are dropped."""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from live.live_settings import LiveSettings
from live.protocol.messages import Measurement, encode
from live.records.journal import Journal
from live.records.run_clock import RunClock

END_SECONDS = 2.0
"""How long the last measurement may take at the end."""


class MeasurementSender:
    """Writes to the topic ``speed``; none of its calls waits for a broker, apart from `close`."""

    def __init__(self, settings: LiveSettings, clock: RunClock, journal: Journal) -> None:
        self._topic = settings.topic("speed")
        self._clock, self._journal = clock, journal
        self._producer = Producer(
            {
                **settings.security.confluent,
                "bootstrap.servers": settings.bootstrap,
                "acks": "all",
                "linger.ms": 0,
                # The controller does not use older ones.
                "message.timeout.ms": int(3000 * settings.period_s),
                "reconnect.backoff.ms": 50,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )

    def send(self, measurement: Measurement) -> None:
        """Send a measurement that has just been made."""
        try:
            value = encode(measurement, self._clock.now())
            self._producer.produce(self._topic, value, partition=0, on_delivery=self._delivered)
        except (BufferError, KafkaException) as error:
            self._journal.write("not sent", sequence=measurement.sequence, why=str(error))
        self._producer.poll(0)

    def close(self) -> None:
        """Wait for what is on its way, `END_SECONDS` at most."""
        self._producer.flush(END_SECONDS)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._journal.write("not sent", why=error.str())
