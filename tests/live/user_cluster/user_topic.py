"""A topic such as a user has, and records in it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.cimpl import NewTopic

from live.kafka import admin_client

_NUMBERS = itertools.count(1)


@contextmanager
def user_topic(bootstrap: str, partitions: int) -> Iterator[str]:
    """A new topic, deleted afterwards."""
    name = f"orders-{os.getpid()}-{next(_NUMBERS)}"
    client = admin_client.connect(bootstrap)
    for future in client.create_topics([NewTopic(name, partitions, 1)]).values():
        future.result(20)
    admin_client.waited_for(lambda: _has_leaders(bootstrap, name, partitions), 20)
    try:
        yield name
    finally:
        for future in client.delete_topics([name]).values():
            future.result(20)


def _has_leaders(bootstrap: str, name: str, partitions: int) -> bool:
    view = admin_client.look(admin_client.connect(bootstrap))
    leaders = {} if view is None else view.leaders.get(name, {})
    return len(leaders) == partitions and -1 not in leaders.values()


def fill(bootstrap: str, topic: str, records: Mapping[int, int], size: int = 100) -> None:
    """Write so many records to each partition."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0})
    for partition, number in records.items():
        for _ in range(number):
            producer.produce(topic, os.urandom(size), partition=partition)
            producer.poll(0)
    assert producer.flush(30) == 0


def commit(bootstrap: str, group: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Commit offsets of a group that has no members."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "log_level": 0})
    rows = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
    consumer.commit(offsets=rows, asynchronous=False)
    consumer.close()
