"""What a group has not committed yet, as KEDA's scaler reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress
from typing import NamedTuple

from confluent_kafka import KafkaException, TopicPartition

from live.kafka import admin_client, log_offsets
from live.kafka.admin_client import CALL_SECONDS


class Offsets(NamedTuple):
    """Offsets of the next records, by partition."""

    committed: dict[int, int]
    """To be processed; 0 before the first commit."""
    ends: dict[int, int]
    """To be written."""


class GroupLag:
    """Reads the lag of a group, and deletes the group.

    topic, partitions: Topic that it reads, and the number of its partitions.
    properties: Further settings of the clients, such as ``sasl.username``.
    """

    def __init__(
        self,
        bootstrap: str,
        group: str,
        topic: str,
        partitions: int,
        properties: Mapping[str, object] | None = None,
    ) -> None:
        self._properties = dict(properties or {})
        self._client = log_offsets.reader(bootstrap, {**self._properties, "group.id": group})
        self._bootstrap, self._group = bootstrap, group
        self._topic, self._partitions = topic, range(partitions)

    def read(self) -> int | None:
        """Records that are not committed, over all partitions; None if no broker answers in time.

        A partition without a commit counts with all its records: members begin with the first one.
        """
        offsets = self.offsets()
        if offsets is None:
            return None
        return sum(max(end - offsets.committed[p], 0) for p, end in offsets.ends.items())

    def offsets(self) -> Offsets | None:
        """Offsets of all partitions; None if no broker answers in time."""
        try:
            places = [TopicPartition(self._topic, number) for number in self._partitions]
            committed = offsets_of(self._client.committed(places, timeout=CALL_SECONDS))
        except KafkaException:
            return None
        ends = log_offsets.ends(self._client, self._topic, self._partitions, CALL_SECONDS)
        if len(ends) < len(self._partitions):  # A partition that is not known may have lag.
            return None
        return Offsets({p: max(offset, 0) for p, offset in committed.items()}, ends)

    def delete_group(self) -> None:
        """Delete the group if the brokers answer; it must have no members."""
        self._client.close()
        admin = admin_client.connect(self._bootstrap, self._properties)
        with suppress(KafkaException, OutOfTime):
            for future in admin.delete_consumer_groups([self._group]).values():
                future.result(CALL_SECONDS)


def offsets_of(places: Iterable[TopicPartition]) -> dict[int, int]:
    """Offsets by partition, negative if uncommitted. Raises KafkaException if one is unknown."""
    offsets = {}
    for each in places:
        if each.error is not None:
            raise KafkaException(each.error)
        offsets[each.partition] = each.offset
    return offsets
