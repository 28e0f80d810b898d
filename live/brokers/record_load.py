"""Producers and consumers of a load, each kind in a process of its own.

Entry: ``python -m live.brokers.record_load ROLE SETTINGS``. Both end with the process that
has started them.
"""

from __future__ import annotations

import dataclasses
import json
import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from live.brokers.broker_load_process import RECORD_BYTES
from live.login import client_properties
from live.processes import child_processes
from live.processes.child_processes import Child
from pipeline.base.errors import StageError

CLIENTS = 4
"""Producers and consumers, as many of each, as in the paper."""

SAMPLE_S = 0.1
"""Time between two lines of what consumers have read."""

_TICK_S, _READY_S, _END_S = 0.005, 60.0, 2.0
_DUE = struct.Struct("<q")


@dataclasses.dataclass(frozen=True)
class LoadSettings:
    """A constant load on a topic."""

    bootstrap: str
    topic: str
    partitions: int
    records_per_s: float
    """Of all producers together."""
    file: str
    """New file of the consumers: lines of time in ns, records read, and sum of latencies in ns."""
    login_file: str = ""
    """File with the clients' login; empty without one."""

    @property
    def client(self) -> dict[str, Any]:
        """Settings that producers and consumers share."""
        login = client_properties.read(Path(self.login_file)).confluent if self.login_file else {}
        return {**login, "bootstrap.servers": self.bootstrap, "log_level": 3}


class ReadSoFar(NamedTuple):
    """What the consumers had read at some time."""

    at_ns: int
    records: int
    latency_ns: int


@contextmanager
def running(settings: LoadSettings, folder: Path) -> Iterator[list[Child]]:
    """Let the load run, and return its processes; the file of the consumers exists then."""
    text = json.dumps(dataclasses.asdict(settings))
    children: list[Child] = []
    try:
        for role in ("consumers", "producers"):
            log = folder / f"{role}.log"
            children.append(child_processes.start_module(__name__, [role, text], role, log))
            until = time.monotonic() + _READY_S
            while not Path(settings.file).exists():
                if children[-1].status() is not None or time.monotonic() > until:
                    raise StageError(f"the {role} did not start: {children[-1].why()}")
                time.sleep(0.05)
        yield children
        ended = child_processes.died(children)
        if ended:
            raise StageError(f"ended early: {ended} (logs: {folder})")
    finally:
        child_processes.stop(children, _END_S)


def read_at(file: Path, at_ns: int) -> ReadSoFar:
    """What had been read at a time: the last line that is not later."""
    last = ReadSoFar(0, 0, 0)
    for line in file.read_text(encoding="ascii").splitlines():
        values = line.split()
        if len(values) == len(last):  # the last line may be half written
            sample = ReadSoFar(*map(int, values))
            if sample.at_ns > at_ns:
                break
            last = sample
    return last


def produce(settings: LoadSettings) -> None:
    """Send records when they are due, in turn from each producer.

    As usual for records without a key, each batch goes to a random partition.
    """
    client = {**settings.client, "acks": "all"}
    # As Kafka's own client. Without a limit, batches would not grow while brokers are slow.
    client["max.in.flight.requests.per.connection"] = 5
    producers = [Producer(client) for _ in range(CLIENTS)]
    padding = bytes(RECORD_BYTES - _DUE.size)
    began, sent = time.monotonic_ns(), 0
    while True:
        for producer in producers:
            producer.poll(0)
        until = int((time.monotonic_ns() - began) * 1e-9 * settings.records_per_s)
        for number in range(sent, until):
            due = began + int(number * 1e9 / settings.records_per_s)
            _send(producers[number % CLIENTS], settings.topic, _DUE.pack(due) + padding)
        sent = until
        time.sleep(_TICK_S)


def _send(producer: Producer, topic: str, value: bytes) -> None:
    """Wait while the producer's queue is full: time that counts as latency."""
    while True:
        try:
            producer.produce(topic, value)
        except BufferError:
            producer.poll(0.05)
        else:
            return


def consume(settings: LoadSettings) -> None:
    """Read all partitions from their ends, and write how much has been read, and how late."""
    readers = [_Reader(settings, number) for number in range(CLIENTS)]
    for reader in readers:
        reader.start()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
    file = os.open(settings.file, flags, 0o644)
    while all(reader.is_alive() for reader in readers):
        records = sum(reader.records for reader in readers)
        latency = sum(reader.latency_ns for reader in readers)
        os.write(file, f"{time.monotonic_ns()} {records} {latency}\n".encode())
        time.sleep(SAMPLE_S)


class _Reader(threading.Thread):
    """A consumer of every fourth partition."""

    def __init__(self, settings: LoadSettings, number: int) -> None:
        super().__init__(name=f"consumer-{number}", daemon=True)
        self.records = self.latency_ns = 0
        client = {**settings.client, "group.id": "curve", "enable.auto.commit": False}
        self._consumer = Consumer(client)
        own = range(number, settings.partitions, CLIENTS)
        places = [TopicPartition(settings.topic, partition) for partition in own]
        for place in places:
            place.offset = _end_of(self._consumer, place)
        self._consumer.assign(places)

    def run(self) -> None:
        """Read for ever."""
        while True:
            messages = self._consumer.consume(500, timeout=0.1)
            now = time.monotonic_ns()
            values = [message.value() for message in messages if message.error() is None]
            dues = [_DUE.unpack_from(value)[0] for value in values if value is not None]
            self.latency_ns += now * len(dues) - sum(dues)
            self.records += len(dues)


def _end_of(consumer: Consumer, place: TopicPartition) -> int:
    """Offset of the next record; brokers may not have learned yet that they lead a new topic."""
    until = time.monotonic() + _READY_S
    while True:
        try:
            offsets: tuple[int, int] = consumer.get_watermark_offsets(place, timeout=_READY_S)
            return offsets[1]
        except KafkaException:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    roles = {"producers": produce, "consumers": consume}
    roles[sys.argv[1]](LoadSettings(**json.loads(sys.argv[2])))
