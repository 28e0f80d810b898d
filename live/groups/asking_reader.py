"""Reads what a group that asks assigns to a member, through kafka-python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from live.consumer.record_queues import ConsumedRecord
from live.groups import client_internals
from live.groups.asking_assignor import AskingAssignor
from live.groups.member_settings import group_id
from live.live_settings import LiveSettings
from live.records import fetch_sizes

FETCH_WAIT_MS = 20
"""How long brokers wait for a record before they answer a fetch, milliseconds."""


def client_settings(settings: LiveSettings, slot: int, assignor: AskingAssignor) -> dict[str, Any]:
    """Settings of a member's client."""
    return {
        **settings.security.kafka_python,
        "bootstrap_servers": settings.bootstrap,
        "client_id": settings.slot(slot),
        "group_id": group_id(settings),
        "partition_assignment_strategy": [assignor],
        "heartbeat_interval_ms": round(settings.heartbeat_s * 1000),
        "session_timeout_ms": round(settings.session_s * 1000),
        "max_poll_records": settings.max_poll_records,
        "enable_auto_commit": False,
        # A group that has committed nothing yet begins with the first record.
        "auto_offset_reset": "earliest",
        "fetch_max_wait_ms": FETCH_WAIT_MS,
        "max_partition_fetch_bytes": fetch_sizes.MEMBER_PARTITION_BYTES,
        "fetch_max_bytes": fetch_sizes.MEMBER_ANSWER_BYTES,
    }


class AskingReader(ConsumerRebalanceListener):  # type: ignore[misc]
    """Takes batches, and commits each one as a whole.

    The client refuses to commit while its group rebalances, and a cooperative member goes on then:
    what was refused is committed later, before another member can have the partition.

    Partitions come and go only within `take` and `close`: no batch is being processed then.

    now: Nanoseconds of the run's clock.
    epoch: Epoch of partitions that are assigned now.
    report: Called with ``assigned``, ``revoked`` (``offsets`` to process next), ``lost`` or
        ``commit_failed``, and fields.
    """

    def __init__(
        self,
        settings: LiveSettings,
        slot: int,
        assignor: AskingAssignor,
        now: Callable[[], int],
        epoch: Callable[[], int],
        report: Callable[..., None],
    ) -> None:
        self._topic, self._revoke_s = settings.topic("data"), settings.revoke_s
        self._assignor, self._now, self._epoch, self._report = assignor, now, epoch, report
        self._epochs: dict[int, int] = {}
        self._next: dict[int, int] = {}
        self._uncommitted: set[int] = set()
        self._stands_still = False
        self._consumer = KafkaConsumer(**client_settings(settings, slot, assignor))

    def subscribe(self) -> None:
        """Join the group."""
        self._consumer.subscribe([self._topic], listener=self)

    def rejoin(self) -> None:
        """Join again at the next `take`."""
        client_internals.request_rejoin(self._consumer)

    def stand_still(self, holds: bool) -> None:
        """Take nothing while it holds; the member stays in the group, and joins rebalances."""
        if holds == self._stands_still:
            return
        self._stands_still = holds
        change = self._consumer.pause if holds else self._consumer.resume
        change(*self._consumer.assignment())

    def take(self, wait_s: float) -> list[ConsumedRecord]:
        """A batch of what has arrived. wait_s: Time to wait for the first record, seconds."""
        client_internals.keep_join(self._consumer)
        batches = self._consumer.poll(timeout_ms=round(wait_s * 1000))
        now_ns = self._now()
        return [
            ConsumedRecord(
                *(place.partition, one.offset, self._epochs[place.partition]),
                *(one.value or b"", one.key, now_ns),
            )
            for place, records in batches.items()
            for one in records
        ]

    def commit(self, records: Sequence[ConsumedRecord]) -> None:
        """Commit a batch, which has been processed, and what was refused before."""
        self._next.update((one.partition, one.offset + 1) for one in records)
        batch = {one.partition for one in records}
        self._uncommitted |= batch
        if not self._uncommitted:
            return
        try:
            self._consumer.commit(self._offsets(self._uncommitted))
        except KafkaError as error:
            if batch:
                self._report("commit_failed", partitions=sorted(batch), message=str(error))
        else:
            self._uncommitted.clear()

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close(autocommit=False)

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Begin tenures."""
        assigned = list(assigned)
        numbers, epoch = _numbers(assigned), self._epoch()
        self._epochs.update(dict.fromkeys(numbers, epoch))
        if self._stands_still:
            self._consumer.pause(*assigned)
        self._report("assigned", partitions=numbers, epoch=epoch)

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """End tenures, after all their records are committed; this takes the time t_r."""
        numbers = _numbers(revoked)
        if not numbers:
            return
        time.sleep(self._revoke_s)
        refused = self._uncommitted.intersection(numbers)
        if refused:
            self._uncommitted -= refused
            try:
                await client_internals.commit_within(self._consumer, self._offsets(refused))
            except KafkaError as error:
                self._report("commit_failed", partitions=sorted(refused), message=str(error))
        offsets = [self._next.pop(number, None) for number in numbers]
        self._report("revoked", partitions=numbers, offsets=offsets)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        """End tenures that others may have begun already."""
        numbers = _numbers(lost)
        self._assignor.owned = ()
        self._uncommitted.difference_update(numbers)
        for number in numbers:
            self._next.pop(number, None)
        self._report("lost", partitions=numbers)

    def _offsets(self, partitions: Iterable[int]) -> dict[TopicPartition, OffsetAndMetadata]:
        return {self._place(n): OffsetAndMetadata(self._next[n], "", -1) for n in partitions}

    def _place(self, partition: int) -> TopicPartition:
        return TopicPartition(self._topic, partition)


def _numbers(places: Iterable[TopicPartition]) -> list[int]:
    return sorted(place.partition for place in places)
