"""A consumer that is behind reads all of its partitions, not only the first ones."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer

from live.records import record_producer
from tests.live.kafka_probe import run_settings

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

pytestmark = pytest.mark.live

PARTITIONS, OLD, SIZE, SECONDS = 6, 60, 2000, 6.0


def test_no_partition_starves(broker: Cluster, tmp_path: Path) -> None:
    """The first four partitions alone have as much new as the consumer can process."""
    from live.consumer.consumer_connections import data_settings
    from live.consumer.data_reader import DataReader
    from live.kafka import topics
    from live.protocol.messages import PartitionOffset

    settings = run_settings(broker.bootstrap, tmp_path, PARTITIONS)
    topics.create(settings)
    topic = settings.topic("data")
    producer = Producer(record_producer.client_settings(settings))
    for n in range(OLD * PARTITIONS):
        producer.produce(topic, bytes(SIZE), partition=n % PARTITIONS)
    assert producer.flush(30) == 0
    is_over = threading.Event()

    def write() -> None:
        while not is_over.wait(4 * SIZE / settings.consumer_rate):
            for partition in range(4):
                producer.produce(topic, bytes(SIZE), partition=partition)
            producer.poll(0)

    writer = threading.Thread(target=write)
    writer.start()
    client = {"bootstrap.servers": broker.bootstrap, **data_settings(settings)}
    reader = DataReader(client, topic, time.monotonic_ns, lambda text: None)
    try:
        reader.assign([PartitionOffset(partition, 1, 0) for partition in range(PARTITIONS)])
        read = dict.fromkeys(range(PARTITIONS), 0)
        free = time.monotonic()
        end = free + SECONDS
        while time.monotonic() < end:
            for record in reader.take(SIZE, 0.02):
                read[record.partition] += 1
                free = max(free, time.monotonic() - 0.02) + SIZE / settings.consumer_rate
            time.sleep(max(free - time.monotonic(), 0))
    finally:
        is_over.set()
        writer.join()
        reader.unassign(range(PARTITIONS))
        producer.flush(10)
        topics.delete(broker.bootstrap, settings.run)
    assert sum(read.values()) > 100
    # Old records of the last two go with the others'; with an answer for two, they would wait.
    assert min(read[4], read[5]) >= min(OLD, 0.6 * max(read.values())), read
