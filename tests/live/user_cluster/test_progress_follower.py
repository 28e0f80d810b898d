"""Progress of a run, followed from its beginning."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, TopicPartition

from live.consumer import progress_record
from live.protocol.messages import PartitionOffset
from live.user_cluster.progress_follower import ProgressFollower
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit


class Topic:
    """A consumer of topic progress; what arrives is in a list."""

    def __init__(self) -> None:
        self.arriving: list[Any] = []
        self.places: list[TopicPartition] = []

    def assign(self, places: list[TopicPartition]) -> None:
        self.places = places

    def consume(self, most: int, wait_s: float) -> list[Any]:
        arrived, self.arriving = self.arriving[:most], self.arriving[most:]
        return arrived

    def put(self, value: bytes | None, error: object = None) -> None:
        self.arriving.append(SimpleNamespace(value=lambda: value, error=lambda: error))

    def progress(self, partition: int, offset: int) -> None:
        self.put(progress_record.value(PartitionOffset(partition, 1, offset)))


def test_it_keeps_the_greatest_offset_of_each_partition() -> None:
    topic = Topic()
    follower = ProgressFollower(short_settings(data_topic="orders"), topic)
    (place,) = topic.places
    assert (place.topic, place.partition, place.offset) == ("gs.r.progress", 0, OFFSET_BEGINNING)
    assert follower.look(0.0) == {}
    topic.progress(1, 7)
    topic.progress(0, 3)
    topic.put(None)
    topic.put(b"{}", error="broker")
    topic.put(b"no progress")
    topic.progress(2, 5)  # There are two partitions.
    assert follower.look(0.0) == {1: 7, 0: 3}
    topic.progress(1, 6)
    topic.progress(0, 4)
    assert follower.look(0.0) == {1: 7, 0: 4}
