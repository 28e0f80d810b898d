"""Process of the load, which writes records and reads them: ``python -m … FOLDER``.

It reads ``load.json`` in the folder, and writes ``began.json`` when the first record is about to be
due, ``sent-N.bin`` and ``read-N.bin`` while it runs, and after SIGTERM, when everything has been
read, ``ended.json``. Evidence has acknowledged records only; each is one write at a file's end.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from live.login import client_properties
from live.records.evidence_file import EvidenceWriter
from pipeline.base.process import replaced_file

RECORD_BYTES = 124
"""Size of a record's value, as in the paper."""

PLAIN, IDEMPOTENT = "plain", "idempotent"

CLIENTS = 4
"""Producers, and readers. Every second producer is idempotent."""

HEAD = struct.Struct("<iqq")
"""Partition, sequence within it, and due time."""

DRAIN_S = 60.0
"""Time limit until the last acknowledged record has been read, s."""

FLUSH_S = 150.0
_LATE_NS = 100_000_000
_PRELOAD_BYTES = 16_384
_TICK_S = 0.1


@dataclass(frozen=True)
class Load:
    """What the process does."""

    bootstrap: str
    client_file: str
    """File with the login."""
    topic: str
    partitions: int
    records_per_s: float
    preload_bytes: int


def kind_of(producer: int) -> str:
    """Whether a producer, from 0, is `PLAIN` or `IDEMPOTENT`."""
    return IDEMPOTENT if producer % 2 else PLAIN


def write(folder: Path, load: Load) -> None:
    """Write what `main` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "load.json").write_text(json.dumps(asdict(load)), encoding="utf-8")


def main(folder: Path) -> int:
    """Write and read until SIGTERM; return the process's status. An error is on stderr."""
    load = Load(**json.loads((folder / "load.json").read_text(encoding="utf-8")))
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    try:
        _Load(folder, load).run(stopping)
    except (KafkaException, OSError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    return 0


class _Load:
    def __init__(self, folder: Path, load: Load) -> None:
        self._folder, self._load = folder, load
        properties = client_properties.read(Path(load.client_file)).confluent
        self._connection: dict[str, Any] = {
            **properties,
            "bootstrap.servers": load.bootstrap,
            "reconnect.backoff.max.ms": 500,
            "log_level": 0,
        }
        self._producers = [Producer(self._producer(kind_of(n))) for n in range(CLIENTS)]
        self._sent = [EvidenceWriter(folder / f"sent-{n}.bin") for n in range(CLIENTS)]
        self._read = [EvidenceWriter(folder / f"read-{n}.bin") for n in range(CLIENTS)]
        self._acknowledged = [-1] * load.partitions
        self._seen = [-1] * load.partitions
        self._refused = self._late = 0
        self._problems: list[str] = []
        self._is_over = threading.Event()

    def run(self, stopping: threading.Event) -> None:
        ends = self._preload()
        threads = [
            *(self._thread(self._poll, producer) for producer in self._producers),
            *(self._thread(self._read_all, n, ends) for n in range(CLIENTS)),
        ]
        began_ns = time.monotonic_ns()
        replaced_file.write_json(self._folder / "began.json", {"began_ns": began_ns})
        self._write_until(stopping, began_ns)
        left = sum(producer.flush(FLUSH_S) for producer in self._producers)
        drained = self._drain()
        self._is_over.set()
        for thread in threads:
            thread.join(10)
        report = {
            "began_ns": began_ns,
            "refused": self._refused + left,
            "late": self._late,
            "drained": drained,
            "problems": self._problems[:10],
        }
        replaced_file.write_json(self._folder / "ended.json", report)

    def _producer(self, kind: str) -> dict[str, Any]:
        return {
            **self._connection,
            "acks": "all",
            "enable.idempotence": kind == IDEMPOTENT,
            # Java's value: records of one that is not idempotent can change their order.
            "max.in.flight.requests.per.connection": 5,
            "message.timeout.ms": 120_000,
        }

    def _preload(self) -> list[int]:
        """Fill the topic; returns the offset in each partition at which the evidence begins."""
        count = self._load.preload_bytes // _PRELOAD_BYTES
        producer = Producer({**self._connection, "acks": "all", "linger.ms": 50})
        for number in range(count):
            while True:
                try:
                    value, to = os.urandom(_PRELOAD_BYTES), number % self._load.partitions
                    producer.produce(self._load.topic, value, partition=to)
                    break
                except BufferError:
                    producer.poll(_TICK_S)
            producer.poll(0)
        if producer.flush(FLUSH_S):
            raise OSError("the topic cannot be filled in time")
        consumer = Consumer({**self._connection, "group.id": "offsets"})
        try:
            places = [TopicPartition(self._load.topic, n) for n in range(self._load.partitions)]
            return [consumer.get_watermark_offsets(place, timeout=30)[1] for place in places]
        finally:
            consumer.close()

    def _write_until(self, stopping: threading.Event, began_ns: int) -> None:
        """Write record after record when it is due, partition by partition in turn."""
        number, step_ns = 0, 1e9 / self._load.records_per_s
        while not stopping.is_set():
            due_ns = began_ns + round(number * step_ns)
            sequence, partition = divmod(number, self._load.partitions)
            time.sleep(max(due_ns - time.monotonic_ns(), 0) * 1e-9)
            self._produce(partition, sequence, due_ns)
            number += 1

    def _produce(self, partition: int, sequence: int, due_ns: int) -> None:
        client = partition % CLIENTS
        sent_ns = time.monotonic_ns()
        self._late += sent_ns - due_ns > _LATE_NS

        def answered(error: Any, _: object) -> None:
            if error is not None:
                self._refused += 1
                return
            done_ns = time.monotonic_ns()
            self._sent[client].append(partition, client, sequence, due_ns, sent_ns, done_ns)
            self._acknowledged[partition] = max(self._acknowledged[partition], sequence)

        head = HEAD.pack(partition, sequence, due_ns)
        value = head + os.urandom(RECORD_BYTES - HEAD.size)
        while True:
            try:
                self._producers[client].produce(
                    self._load.topic, value, partition=partition, on_delivery=answered
                )
                return
            except BufferError:
                time.sleep(_TICK_S)

    def _poll(self, producer: Producer) -> None:
        while not self._is_over.is_set():
            producer.poll(_TICK_S)

    def _read_all(self, reader: int, begins: list[int]) -> None:
        """Read the partitions of a reader, and commit what was read as any group does."""
        consumer = Consumer(
            {
                **self._connection,
                "group.id": f"reader-{reader}",
                "auto.offset.reset": "error",
                "auto.commit.interval.ms": 1000,
            }
        )
        own = range(reader, self._load.partitions, CLIENTS)
        consumer.assign([TopicPartition(self._load.topic, n, begins[n]) for n in own])
        while not self._is_over.is_set():
            message = consumer.poll(_TICK_S)
            if message is None:
                continue
            if message.error() is not None:
                self._problems.append(str(message.error()))
                continue
            read_ns = time.monotonic_ns()
            partition, sequence, due_ns = HEAD.unpack_from(cast(bytes, message.value()))
            self._read[reader].append(partition, reader, sequence, due_ns, read_ns, read_ns)
            self._seen[partition] = max(self._seen[partition], sequence)
        consumer.close()

    def _drain(self) -> bool:
        """Whether readers came to the last acknowledged record of each partition in time."""
        until = time.monotonic() + DRAIN_S
        while time.monotonic() < until:
            if all(s >= a for s, a in zip(self._seen, self._acknowledged, strict=True)):
                # Repeats come after it.
                time.sleep(1.0)
                return True
            time.sleep(_TICK_S)
        return False

    @staticmethod
    def _thread(work: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        return thread


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
