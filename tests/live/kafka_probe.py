"""Records that tests write and read, and settings of their runs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path

from confluent_kafka import Consumer, Message, Producer, TopicPartition

from live.live_settings import LiveSettings

_NUMBERS = itertools.count(1)


def run_settings(bootstrap: str, folder: Path, partitions: int = 4, nodes: int = 1) -> LiveSettings:
    """Settings of a new run."""
    return LiveSettings(
        run=f"test-{os.getpid()}.{next(_NUMBERS)}",
        bootstrap=bootstrap,
        folder=str(folder),
        partitions=partitions,
        capacity=200_000.0,
        consumer_rate=240_000.0,
        iteration_s=4.0,
        iterations=6,
        nodes=nodes,
    )


def send(bootstrap: str, topic: str, values: Iterable[bytes], seconds: float = 30.0) -> list[str]:
    """Write records with acknowledgement by all replicas; return the errors."""
    errors: list[str] = []
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0})
    for value in values:
        producer.produce(
            topic, value, partition=0, on_delivery=lambda e, _: errors.append(str(e)) if e else None
        )
    left = producer.flush(seconds)
    return [*errors, *["not sent"] * left]


def read(bootstrap: str, topic: str, number: int, partition: int = 0) -> list[Message]:
    """The first records of a partition, fewer if they do not come within 20 s."""
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "probe", "enable.auto.commit": False}
    )
    try:
        consumer.assign([TopicPartition(topic, partition, 0)])
        messages = consumer.consume(number, timeout=20.0)
    finally:
        consumer.close()
    return [message for message in messages if message.error() is None]
