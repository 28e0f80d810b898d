"""Reads the partitions that Kafka assigns to a member, and commits how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from live.consumer.client_errors import Unusable, cause, raise_if_final
from live.consumer.consumer_connections import CALL_S
from live.consumer.data_reader import DataReader
from live.consumer.record_queues import ConsumedRecord
from live.groups.group_lag import offsets_of
from live.kafka import log_offsets
from live.protocol.messages import PartitionOffset

LIMIT_S, RETRY_S = 20.0, 0.1
"""How long brokers are asked for the offsets of partitions, less than a session, and how often,
seconds: those of a topic that is new do not know its leaders for a moment."""

NAMED_S, _TURN_S = 5.0, 0.02
"""How long a member that ends waits for its name in the group, and between two looks, seconds."""

Report = Callable[..., None]
"""Called with what has happened, and fields about it."""


class GroupReader(DataReader):
    """A data reader whose partitions come and go with the rebalances of its group.

    Offsets are committed before a partition is revoked: its next owner continues after the last
    record processed here. Only a partition that is lost, because the brokers have not heard of this
    member for a session, is continued at the last regular commit.

    client, topic, now, note, moved_ns, buffer_bytes: As for `DataReader`.
    epoch: Epoch of partitions that are assigned now.
    report: Called with ``assigned``, ``revoked`` (``offsets`` to process next), ``lost``,
        ``commit_failed`` (the first one until one succeeds) or ``skipped`` (the client has left out
        records), and fields.
    """

    def __init__(
        self,
        client: Mapping[str, object],
        topic: str,
        now: Callable[[], int],
        note: Callable[[str], None],
        epoch: Callable[[], int],
        report: Report,
        moved_ns: int | None = None,
        buffer_bytes: int = 0,
    ) -> None:
        self._epoch, self._tell = epoch, report
        self._failing: set[int] = set()
        callbacks = {"on_commit": self._on_commit}
        super().__init__({**client, **callbacks}, topic, now, note, moved_ns, buffer_bytes)

    def subscribe(self) -> None:
        """Join the group; partitions come and go within `take`."""
        self._consumer.subscribe(
            [self._topic],
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )

    def owned(self, records: Iterable[ConsumedRecord]) -> list[ConsumedRecord]:
        """Those records whose partitions are still in the tenure in which they were taken.

        A partition may be revoked while records are taken. Its next owner reads them again.
        """
        places = self._places
        return [
            r for r in records if r.partition in places and places[r.partition].epoch == r.epoch
        ]

    def commit(self) -> None:
        """Commit progress in the background; what fails is part of the next call."""
        rows = self.unwritten()
        if rows:
            try:
                self._consumer.commit(offsets=self._offsets(rows), asynchronous=True)
            except KafkaException as error:
                self._failed([row.partition for row in rows], cause(error))

    def close(self) -> None:
        """Commit progress and leave the group, also one that is still being joined.

        Brokers name a member in their answer to its first request. Without that name the client
        cannot leave, and the group would wait for the member for a session.
        """
        until = time.monotonic() + NAMED_S
        while not self._consumer.memberid() and time.monotonic() < until:
            self._consumer.poll(_TURN_S)
        self._consumer.close()

    def _checked(self, message: Message) -> ConsumedRecord | None:
        place = self._places.get(message.partition() or 0)
        expected = -1 if place is None else place.expected
        record = super()._checked(message)
        if record is not None and record.offset > expected >= 0:
            self._tell("skipped", partitions=[record.partition], since=expected, to=record.offset)
        return record

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        epoch = self._epoch()
        numbers = sorted(each.partition for each in partitions)
        starts = self._starts(numbers)
        self.assign([PartitionOffset(number, epoch, starts[number]) for number in numbers])
        self._tell("assigned", partitions=numbers, epoch=epoch)

    def _starts(self, partitions: Sequence[int]) -> dict[int, int]:
        """Where each partition is continued: at the group's commit, else at its first record.

        Explicit offsets show a record that is left out at the beginning of a tenure, too.
        """
        if not partitions:
            return {}
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            try:
                places = [TopicPartition(self._topic, number) for number in partitions]
                starts = offsets_of(self._consumer.committed(places, timeout=CALL_S))
            except KafkaException as error:
                raise_if_final(cause(error))
                self._note(f"offsets: {cause(error).str()}")
                time.sleep(RETRY_S)
                continue
            new = [number for number in partitions if starts[number] < 0]
            starts |= log_offsets.beginnings(self._consumer, self._topic, new, CALL_S)
            if min(starts.values()) >= 0:
                return starts
        raise Unusable(f"no offsets of partitions {', '.join(map(str, partitions))} in time")

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        numbers = self._held(partitions)
        rows = [row for row in self.unwritten() if row.partition in numbers]
        if rows:
            self._commit_now(rows)
        left = self.unassign(numbers)
        self._tell("revoked", partitions=numbers, offsets=[row.offset for row in left])

    def _on_lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        numbers = self._held(partitions)
        self.unassign(numbers)
        self._tell("lost", partitions=numbers)

    def _held(self, partitions: Iterable[TopicPartition]) -> list[int]:
        return sorted(each.partition for each in partitions if each.partition in self._places)

    def _commit_now(self, rows: Sequence[PartitionOffset]) -> None:
        try:
            done = self._consumer.commit(offsets=self._offsets(rows), asynchronous=False)
        except KafkaException as error:
            self._failed([row.partition for row in rows], cause(error))
        else:
            self._on_commit(None, done or [])

    def _on_commit(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            reason = error or each.error
            place = self._places.get(each.partition)
            if reason is not None:
                self._failed([each.partition], reason)
                continue
            self._failing.discard(each.partition)
            if place is not None and each.offset <= place.next:  # Else of an earlier tenure.
                place.written = each.offset

    def _failed(self, partitions: Iterable[int], reason: KafkaError) -> None:
        """Report partitions whose commits begin to fail; all do while a group rebalances."""
        fresh = sorted(set(partitions) - self._failing)
        self._failing.update(fresh)
        if fresh:
            self._tell("commit_failed", partitions=fresh, message=reason.str())

    def _offsets(self, rows: Iterable[PartitionOffset]) -> list[TopicPartition]:
        return [TopicPartition(self._topic, row.partition, row.offset) for row in rows]
