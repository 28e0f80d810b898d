"""What a group has not committed yet, as KEDA's scaler reads it."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress

from confluent_kafka import OFFSET_END, Consumer, KafkaException, TopicPartition

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
        # A consumer that never subscribes. With the admin client's calls for offsets, a broker that
        # was stopped for a moment ended this process (assertion in librdkafka's rdkafka_queue.h).
        settings = {"bootstrap.servers": bootstrap, "group.id": group, "log_level": 0}
        self._client = Consumer({**settings, "enable.auto.commit": False})
        self._bootstrap, self._group = bootstrap, group
        self._places = [(topic, partition) for partition in range(partitions)]

    def read(self) -> int | None:
        """Records that are not committed, over all partitions; None if no broker answers in time.

        A partition without a commit counts with all its records: members begin with the first one.
        """
        try:
            wanted = [TopicPartition(*place) for place in self._places]
            committed = _offsets(self._client.committed(wanted, timeout=CALL_SECONDS))
            # In place of a time, this asks for the end.
            wanted = [TopicPartition(*place, OFFSET_END) for place in self._places]
            ends = _offsets(self._client.offsets_for_times(wanted, timeout=CALL_SECONDS))
        except KafkaException:
            return None
        if min(ends.values()) < 0:  # A leader has not answered: its partition may have lag.
            return None
        return sum(max(ends[place] - max(committed[place], 0), 0) for place in self._places)

    def delete_group(self) -> None:
        """Delete the group if the brokers answer; it must have no members."""
        self._client.close()
        admin = admin_client.connect(self._bootstrap)
        with suppress(KafkaException, OutOfTime):
            for future in admin.delete_consumer_groups([self._group]).values():
                future.result(CALL_SECONDS)


def _offsets(places: Iterable[TopicPartition]) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition, negative where nothing is committed."""
    found = {}
    for each in places:
        if each.error is not None:
            raise KafkaException(each.error)
        found[each.topic, each.partition] = each.offset
    return found
