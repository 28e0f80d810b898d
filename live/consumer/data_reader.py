"""Reads the partitions of the data topic that a consumer owns, from explicit offsets on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from live.consumer.client_errors import Refused, cause, raise_if_final
from live.consumer.record_queues import ConsumedRecord, RecordQueues
from live.protocol.messages import PartitionOffset

_NOT_STORED = (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE)


@dataclass(slots=True)
class _Place:
    """How far an assigned partition has been read."""

    epoch: int
    """Epoch of its tenure."""
    expected: int
    """Offset of the record to take from the client next."""
    next: int
    """Offset of the record to process next."""
    written: int
    """The same, as of the start or the last progress written."""
    since_ns: int
    """When it was assigned."""


class DataReader:
    """Takes records of the assigned partitions, in the order of arrival or moved ones last.

    now: Nanoseconds of the run's clock.
    note: Called with an explanation when the client reports an error.
    moved_ns: For how long after its start a partition comes after the others, nanoseconds; None for
        the order of arrival alone.
    buffer_bytes: Bytes that may wait here while moved partitions come last.
    """

    def __init__(
        self,
        client: Mapping[str, object],
        topic: str,
        now: Callable[[], int],
        note: Callable[[str], None],
        moved_ns: int | None = None,
        buffer_bytes: int = 0,
    ) -> None:
        self._consumer = Consumer(dict(client))
        self._topic, self._now, self._note = topic, now, note
        self._places: dict[int, _Place] = {}
        self._moved_ns, self._buffer_bytes = moved_ns or 0, buffer_bytes
        self._queues = None if moved_ns is None else RecordQueues(self._is_settled)

    def get_ready(self, seconds: float) -> bool:
        """Learn the leaders of the topic's partitions; whether that is done.

        Otherwise a new client looks for them after the first assignment only, and begins to read
        half a second later.

        Raises Unusable after a fatal error.
        """
        try:
            topics = self._consumer.list_topics(self._topic, timeout=seconds).topics
        except KafkaException as error:
            raise_if_final(cause(error))
            return False
        topic = topics.get(self._topic)
        return topic is not None and topic.error is None

    def assign(self, rows: Sequence[PartitionOffset]) -> None:
        """Begin to read partitions, each from its offset on."""
        now = self._now()
        for row in rows:
            at = row.offset
            self._places[row.partition] = _Place(row.epoch, at, at, at, now)
        places = [TopicPartition(self._topic, row.partition, row.offset) for row in rows]
        if places:
            self._consumer.incremental_assign(places)

    def unassign(self, partitions: Sequence[int]) -> list[PartitionOffset]:
        """End reading partitions, drop what is buffered; where each is to be continued."""
        if not partitions:
            return []
        self._consumer.incremental_unassign([TopicPartition(self._topic, p) for p in partitions])
        rows = [self._row(partition) for partition in partitions]
        for partition in partitions:
            del self._places[partition]
            if self._queues is not None:
                self._queues.drop(partition)
        return rows

    def take(self, max_bytes: int, wait_s: float) -> list[ConsumedRecord]:
        """Records that have arrived.

        max_bytes: Bytes after which to take no more; the last record may go beyond.
        wait_s: Time to wait for the first one, seconds.
        """
        records: list[ConsumedRecord] = []
        size, record = 0, self._next(wait_s)
        while record is not None:
            records.append(record)
            size += record.size
            record = self._next(0.0) if size < max_bytes else None
        return records

    def done(self, records: Iterable[ConsumedRecord]) -> None:
        """Note that records have been processed, in the order in which they were taken."""
        for record in records:
            self._places[record.partition].next = record.offset + 1

    def progress(self) -> list[PartitionOffset]:
        """How far each partition has been processed."""
        return [self._row(partition) for partition in self._places]

    def unwritten(self) -> list[PartitionOffset]:
        """Progress since it was written last."""
        places = self._places.items()
        return [self._row(partition) for partition, place in places if place.next != place.written]

    def written(self, rows: Iterable[PartitionOffset]) -> None:
        """Note that progress is committed."""
        for row in rows:
            if row.partition in self._places:
                self._places[row.partition].written = row.offset

    def _row(self, partition: int) -> PartitionOffset:
        place = self._places[partition]
        return PartitionOffset(partition, place.epoch, place.next)

    def _is_settled(self, partition: int) -> bool:
        """Whether a partition has been here for so long that it does not count as moved."""
        place = self._places.get(partition)
        return place is not None and self._now() - place.since_ns >= self._moved_ns

    def _next(self, wait_s: float) -> ConsumedRecord | None:
        if self._queues is None:
            return self._arrived(wait_s)
        while self._queues.size < self._buffer_bytes:
            record = self._arrived(0.0 if self._queues.size else wait_s)
            if record is None:
                break
            self._queues.put(record)
        return self._queues.take()

    def _arrived(self, wait_s: float) -> ConsumedRecord | None:
        """The next record from the client; None if it has none."""
        message = self._consumer.poll(wait_s)
        while message is not None:
            record = self._checked(message)
            if record is not None:
                return record
            message = self._consumer.poll(0)
        return None

    def _checked(self, message: Message) -> ConsumedRecord | None:
        error = message.error()
        if error is not None:
            self._report(message, error)
            return None
        partition, offset = message.partition() or 0, message.offset() or 0
        place = self._places.get(partition)
        # What the client had buffered before a partition was unassigned, or read again.
        if place is None or offset < place.expected:
            return None
        place.expected = offset + 1
        return ConsumedRecord(
            partition, offset, place.epoch, message.value() or b"", message.key(), self._now()
        )

    def _report(self, message: Message, error: KafkaError) -> None:
        raise_if_final(error)
        if error.code() in _NOT_STORED:
            place = self._places.get(message.partition() or 0)
            offset = "" if place is None else f", offset {place.expected}"
            where = f"{self._topic}, partition {message.partition()}{offset}"
            raise Refused(f"{where}: the record is not stored any more ({error.str()})")
        self._note(f"data: {error.str()}")
