"""Plays the controller: starts consumer processes, commands them, and hears their events."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from live.consumer import progress_record
from live.live_settings import LiveSettings
from live.protocol.messages import (
    Command,
    Event,
    Hello,
    PartitionEpoch,
    PartitionOffset,
    Start,
    Started,
    Stop,
    Stopped,
    decode,
    encode,
)
from live.records import evidence_file
from live.records.evidence_file import Evidence
from live.records.record_format import RecordWriter
from live.records.run_clock import RunClock

E = TypeVar("E", bound=Event)

ANSWER_S = 20.0
MODULE = "live.consumer.consumer_process"


class GroupDriver:
    """A controller in the hands of a test."""

    def __init__(self, settings: LiveSettings) -> None:
        self.settings = settings
        self.clock = RunClock(settings.clock_offset_ns)
        self.folder = Path(settings.folder)
        self._file = self.folder / "settings.json"
        settings.save(self._file)
        address = {"bootstrap.servers": settings.bootstrap, "log_level": "0"}
        self._commands = Producer({**address, "transactional.id": settings.controller_id})
        self._commands.init_transactions(ANSWER_S)
        self._reader = _reader(address, settings.topic("event"))
        self._events: list[tuple[Event, float]] = []
        self.processes: dict[tuple[int, int], subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        self._reader.close()

    def launch(self, slot: int, incarnation: int = 1, module: str = MODULE) -> None:
        """Start a consumer process."""
        words = [sys.executable, "-m", module, str(self._file), str(slot), str(incarnation)]
        with self.log(slot, incarnation).open("wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log)
        self.processes[slot, incarnation] = process

    def log(self, slot: int, incarnation: int = 1) -> Path:
        return self.folder / f"c{slot}-{incarnation}.log"

    def status(self, slot: int, incarnation: int = 1, seconds: float = ANSWER_S) -> int:
        """Exit status of a process that ends."""
        return self.processes[slot, incarnation].wait(seconds)

    def signal(self, number: signal.Signals, slot: int, incarnation: int = 1) -> None:
        self.processes[slot, incarnation].send_signal(number)

    def command(self, slot: int, *commands: Command) -> None:
        """Send commands in one transaction."""
        self._commands.begin_transaction()
        for command in commands:
            self._commands.produce(
                self.settings.topic("command"), encode(command, self.clock.now()), partition=slot
            )
        self._commands.commit_transaction(ANSWER_S)

    def event(
        self,
        kind: type[E],
        matches: Callable[[E], bool] = lambda _: True,
        seconds: float = ANSWER_S,
    ) -> E:
        """The next event of a kind that matches; those before it stay for later calls."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._hear(0.05)
            for entry in self._events:
                if isinstance(entry[0], kind) and matches(entry[0]):
                    self._events.remove(entry)
                    return entry[0]
        raise TimeoutError(f"no {kind.__name__} in {seconds} s; logs: {self._logs()}")

    def heard(self, kind: type[E], seconds: float) -> list[E]:
        """Events of a kind that have arrived or arrive within a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._hear(0.05)
        events = [event for event, _ in self._events if isinstance(event, kind)]
        self._events = [entry for entry in self._events if not isinstance(entry[0], kind)]
        return events

    def ready(self, slot: int, incarnation: int = 1) -> Hello:
        """Wait for the hello of a process."""
        return self.event(Hello, lambda e: (e.consumer, e.incarnation) == (slot, incarnation))

    def start(
        self, slot: int, rows: Iterable[tuple[int, int, int]], incarnation: int = 1, plan: int = 1
    ) -> Started:
        """Start partitions (partition, epoch, offset), and wait for the answer."""
        partitions = tuple(PartitionOffset(*row) for row in rows)
        self.command(slot, Start(incarnation, plan, partitions))
        return self.event(Started, lambda e: e.consumer == slot and e.plan == plan)

    def stop(
        self, slot: int, rows: Iterable[tuple[int, int]], incarnation: int = 1, plan: int = 1
    ) -> dict[int, PartitionOffset]:
        """Stop partitions (partition, epoch), and wait for the answer."""
        partitions = tuple(PartitionEpoch(*row) for row in rows)
        self.command(slot, Stop(incarnation, plan, partitions))
        answer = self.event(Stopped, lambda e: e.consumer == slot and e.plan == plan)
        return {row.partition: row for row in answer.partitions}

    def fence(self, slot: int) -> None:
        """Take over the transactional id of a slot, as for a lost consumer."""
        address = {"bootstrap.servers": self.settings.bootstrap}
        Producer({**address, "transactional.id": self.settings.slot(slot)}).init_transactions(
            ANSWER_S
        )

    def produce(self, partition: int, count: int, first: int = 0) -> None:
        """Fill a partition with records that are due now."""
        writer = RecordWriter(self.settings.record_bytes, self.settings.seed)
        producer = Producer(
            {"bootstrap.servers": self.settings.bootstrap, "batch.size": 20_000, "acks": "all"}
        )
        for n in range(first, first + count):
            value = writer.value(partition, 0, n, self.clock.now())
            producer.produce(self.settings.topic("data"), value, partition=partition)
            if n % 1000 == 0:
                producer.flush()
        assert producer.flush(ANSWER_S) == 0

    def progress(self) -> list[PartitionOffset]:
        """All progress that is committed, in order of writing."""
        reader = _reader(
            {"bootstrap.servers": self.settings.bootstrap, "isolation.level": "read_committed"},
            self.settings.topic("progress"),
        )
        rows, quiet = [], 0
        while quiet < 10:
            message = reader.poll(0.1)
            quiet += message is None
            if message is not None and message.error() is None and message.value() is not None:
                rows.append(progress_record.parse(message.value() or b""))
        reader.close()
        return rows

    def evidence(self, slot: int, incarnation: int = 1) -> list[Evidence]:
        return evidence_file.read(self.settings.evidence(slot, incarnation))

    def wait_until(self, condition: Callable[[], bool], seconds: float = ANSWER_S) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self._logs()
            time.sleep(0.05)

    def _hear(self, seconds: float) -> None:
        message = self._reader.poll(seconds)
        while message is not None:
            if message.error() is None:
                event = decode(message.value() or b"").message
                self._events.append((event, time.monotonic()))
            message = self._reader.poll(0)

    def _logs(self) -> str:
        return "; ".join(f"{file.name}: {file.read_text()}" for file in self.folder.glob("*.log"))


def _reader(address: dict[str, str], topic: str) -> Consumer:
    reader = Consumer(
        {"isolation.level": "read_uncommitted", **address, "group.id": "unused"}
        | {"enable.auto.commit": False, "fetch.wait.max.ms": 20}
    )
    reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    return reader
