"""What a group has not committed yet, as KEDA's scaler reads it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

from pipeline.live.broker import admin_client
from pipeline.live.broker.admin_client import CALL_SECONDS


class GroupLag:
    """Reads the lag of a group, and deletes the group.

    Parameters
    ----------
    bootstrap
        Addresses of the brokers.
    group
        Name of the group.
    topic, partitions
        Topic that it reads, and the number of its partitions.
    """

    def __init__(self, bootstrap: str, group: str, topic: str, partitions: int) -> None:
        self._client = admin_client.connect(bootstrap)
        self._group = group
        self._places = [(topic, partition) for partition in range(partitions)]

    def read(self) -> int | None:
        """Records that are not committed, over all partitions; None if no broker answers in time.

        A partition without a commit counts with all its records: members begin with the first one.
        """
        try:
            committed, ends = self._committed(), self._ends()
        except (KafkaException, OutOfTime):
            return None
        return sum(max(ends[place] - max(committed.get(place, 0), 0), 0) for place in self._places)

    def delete_group(self) -> None:
        """Delete the group if the brokers answer; it must have no members."""
        with suppress(KafkaException, OutOfTime):
            for future in self._client.delete_consumer_groups([self._group]).values():
                future.result(CALL_SECONDS)

    def _committed(self) -> Mapping[tuple[str, int], int]:
        wanted = [TopicPartition(*place) for place in self._places]
        request = [ConsumerGroupTopicPartitions(self._group, wanted)]
        future = self._client.list_consumer_group_offsets(request)[self._group]
        return _offsets(future.result(CALL_SECONDS).topic_partitions)

    def _ends(self) -> Mapping[tuple[str, int], int]:
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        wanted = {TopicPartition(*place): latest for place in self._places}
        futures = self._client.list_offsets(wanted, request_timeout=CALL_SECONDS)
        return {(each.topic, each.partition): _end(future) for each, future in futures.items()}


def _offsets(found: list[TopicPartition]) -> Mapping[tuple[str, int], int]:
    """Offsets by place, negative where nothing is committed."""
    for each in found:
        if each.error is not None:
            raise KafkaException(each.error)
    return {(each.topic, each.partition): each.offset for each in found}


def _end(future: Future[object]) -> int:
    return int(getattr(future.result(CALL_SECONDS), "offset"))  # noqa: B009
