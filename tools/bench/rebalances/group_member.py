"""A member that is measured: it notes each record that it reads, and each rebalance."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition

from live.records.journal import Journal
from live.records.run_clock import RunClock

READ: Final = struct.Struct("<qi")
"""One record read: nanoseconds of the run's clock, and the partition."""

SUBSCRIBING, ASSIGNED, REVOKED, CLOSING, CLOSED = (
    "subscribing",
    "assigned",
    "revoked",
    "closing",
    "closed",
)
"""What a journal's entries say."""

_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class MemberSettings:
    """What all members of a group share."""

    folder: str
    topic: str
    clock_offset_ns: int
    client: Mapping[str, Any]
    batch: int = 0
    """Records that a poll takes at most; 0: one, which takes no time."""
    service_s: float = 0.0
    """How long a record of a batch takes."""


def journal_file(folder: str | Path, member: str) -> Path:
    """File of a member's rebalances."""
    return Path(folder) / f"{member}.jsonl"


def reads_file(folder: str | Path, member: str) -> Path:
    """File of the records that a member has read, written at once, so that it survives kill -9."""
    return Path(folder) / f"{member}.reads"


class GroupMember:
    """Joins in `run`, which returns once it has left."""

    def __init__(self, settings: MemberSettings, name: str) -> None:
        self._settings, self._now = settings, RunClock(settings.clock_offset_ns).now
        self._journal = Journal(journal_file(settings.folder, name), self._now, member=name)
        file = reads_file(settings.folder, name)
        self._reads = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._is_leaving = threading.Event()
        self._consumer = Consumer({**settings.client, "client.id": name})

    def leave(self) -> None:
        """Ask `run` to leave the group and return; any thread may call this."""
        self._is_leaving.set()

    def run(self) -> None:
        """Read until `leave` is called."""
        self._journal.write(SUBSCRIBING)
        self._consumer.subscribe(
            [self._settings.topic],
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_revoke,
        )
        work = self._serve_batch if self._settings.batch else self._read_one
        while not self._is_leaving.is_set():
            work()
        self._journal.write(CLOSING)
        self._consumer.close()
        self._journal.write(CLOSED)
        self._journal.close()
        os.close(self._reads)

    def _read_one(self) -> None:
        message = self._consumer.poll(_POLL_S)
        if message is not None and message.error() is None:
            self._note(message.partition() or 0)

    def _serve_batch(self) -> None:
        """Serve what a poll gives, and poll again only then."""
        messages = self._consumer.consume(self._settings.batch, _POLL_S)
        due = time.monotonic()
        for message in messages:
            if message.error() is None:
                due += self._settings.service_s
                time.sleep(max(due - time.monotonic(), 0.0))
                self._note(message.partition() or 0)

    def _note(self, partition: int) -> None:
        os.write(self._reads, READ.pack(self._now(), partition))

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._journal.write(ASSIGNED, partitions=_numbers(partitions))

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._journal.write(REVOKED, partitions=_numbers(partitions))


def _numbers(partitions: list[TopicPartition]) -> list[int]:
    return sorted(each.partition for each in partitions)
