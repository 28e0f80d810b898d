"""Sends each record of a stream when it is due."""

from __future__ import annotations

import time

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from live.live_settings import LiveSettings
from live.records import fetch_sizes
from live.records.record_format import RecordWriter
from live.records.run_clock import RunClock
from live.records.schedules import Schedule
from live.records.send_schedule import DueRecord
from live.records.send_tally import SendTally
from pipeline.base.errors import StageError

SLICE_S = 0.001
"""Records are sent together if they are due within this time: fewer wake-ups."""

LONGEST_WAIT_S = 0.1
"""Time after which a waiting producer looks whether it is to stop."""

FULL_WAIT_S = 0.005
"""Wait before a record is offered to a full queue again."""

POLL_EVERY = 256
"""Records after which reports of the client are taken, while there is no time to wait."""

BATCH_S = 0.05
"""Seconds of a consumer's work that a batch holds at most, but always one record."""

MAX_BATCH_BYTES = 1_000_000

ANSWER_S = 10.0
"""Time for the brokers to describe the topic, and to acknowledge the last records."""


def client_settings(settings: LiveSettings) -> dict[str, object]:
    """Settings of the client: nothing lost, nothing twice, order kept."""
    return {
        **settings.security.confluent,
        "bootstrap.servers": settings.bootstrap,
        "client.id": f"gs.{settings.run}.producer",
        "enable.idempotence": True,
        "acks": "all",
        "compression.type": "none",
        "linger.ms": 5,
        "batch.size": _batch_bytes(settings),
        "queue.buffering.max.kbytes": 8192,
        "queue.buffering.max.messages": 50_000,
        "delivery.timeout.ms": 120_000,
        "retry.backoff.ms": 50,
        "retry.backoff.max.ms": 500,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 1000,
    }


def _batch_bytes(settings: LiveSettings) -> int:
    """Size of a batch: consumers fetch whole ones, in answers with room for all partitions."""
    size = min(int(settings.consumer_rate * BATCH_S), fetch_sizes.partition_bytes(settings))
    return min(max(size, 2 * settings.record_bytes), MAX_BATCH_BYTES)


class RecordProducer:
    """Sends the records of a schedule.

    settings: Settings of the run; `began_ns` is when the first iteration starts, 0 for now.
    tally: What was sent, and what became of it.
    began_ns: Start of the first iteration by the run's clock.
    """

    def __init__(self, settings: LiveSettings, schedule: Schedule) -> None:
        if settings.data_topic:
            raise ValueError(f"topic {settings.data_topic} is the user's: nothing is written to it")
        self._topic = settings.topic("data")
        self._schedule = schedule
        self._clock = RunClock(settings.clock_offset_ns)
        self._writer = RecordWriter(settings.record_bytes, settings.seed)
        self._fatal: KafkaError | None = None
        self._stopping = False
        self._client = Producer({**client_settings(settings), "error_cb": self._note})
        self.tally = SendTally(list(schedule.counts()))
        self.began_ns = settings.began_ns or self._clock.now()

    def stop(self) -> None:
        """Send nothing more; may be called by a handler of a signal."""
        self._stopping = True

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._stopping

    def connect(self) -> None:
        """Check the topic, so that the first record is not late.

        Raises StageError if the brokers do not answer, or the topic has another number of
            partitions.
        """
        try:
            topics = self._client.list_topics(self._topic, timeout=ANSWER_S).topics
        except KafkaException as error:
            raise StageError(f"producer: the brokers do not answer: {_text(error)}") from error
        partitions = len(topics[self._topic].partitions)
        if partitions != self._schedule.partitions:
            requirement = f"must have {self._schedule.partitions} partitions (got {partitions})"
            raise StageError(f"producer: topic {self._topic} {requirement}")

    def send_all(self) -> None:
        """Send every record when it is due, and wait for the acknowledgements.

        Raises StageError after a fatal error of the client, or if records were not delivered.
        """
        for n, record in enumerate(self._schedule.records()):
            due_ns = self.began_ns + record.due_ns
            self._wait(due_ns)
            if n % POLL_EVERY == 0:
                self._client.poll(0)
            if self._stopping:
                break
            self._send(record, due_ns)
        unanswered = self._client.flush(ANSWER_S)
        self._check()
        if missing := self.tally.failed + unanswered:
            raise StageError(f"producer: {missing} records were not delivered")

    def _wait(self, due_ns: int) -> None:
        """Return when the record is due, or after `stop`."""
        left_s = (due_ns - self._clock.now()) / 1e9
        while left_s > 0 and not self._stopping:
            # Acknowledgements end a call of `poll`; at high rates that would be once a record.
            self._client.poll(min(left_s - SLICE_S, LONGEST_WAIT_S) if left_s > SLICE_S else 0)
            self._check()
            if left_s <= SLICE_S:
                time.sleep(SLICE_S)
            left_s = (due_ns - self._clock.now()) / 1e9

    def _send(self, record: DueRecord, due_ns: int) -> None:
        value = self._writer.value(record.partition, record.iteration, record.sequence, due_ns)
        while not self._offer(record.partition, value):
            self._client.poll(FULL_WAIT_S)
            self._check()
            if self._stopping:
                return
        self.tally.hand_over(record, due_ns, self._clock.now())

    def _offer(self, partition: int, value: bytes) -> bool:
        """Hand a record to the client; False if its queue is full."""
        try:
            self._client.produce(
                self._topic, value, partition=partition, on_delivery=self._delivered
            )
        except BufferError:
            return False
        except KafkaException as error:
            raise StageError(f"producer: {_text(error)}") from error
        return True

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        self.tally.settle(message.partition() or 0, error is None, self._clock.now())

    def _note(self, error: KafkaError) -> None:
        if error.fatal():
            self._fatal = error

    def _check(self) -> None:
        if self._fatal is not None:
            raise StageError(f"producer: {self._fatal.str()}")


def _text(error: KafkaException) -> str:
    cause = error.args[0] if error.args else error
    return cause.str() if isinstance(cause, KafkaError) else str(cause)
