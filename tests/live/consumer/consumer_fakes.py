"""Clients of a consumer without Kafka: they record what is asked of them, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from live.consumer.consumer_connections import Connections
from live.consumer.record_queues import ConsumedRecord
from live.protocol.messages import Beat, Command, Event, PartitionOffset

Log = list[tuple[Any, ...]]
"""What happened, in order."""


class FakeData:
    """Partitions that hold records without end, 100 bytes each."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.places: dict[int, list[int]] = {}
        """Epoch, next offset to take, next to process, and written, by partition."""
        self.per_take = 1
        self.failures = 0

    def get_ready(self, seconds: float) -> bool:
        self.failures -= 1
        return self.failures < 0

    def assign(self, rows: Iterable[PartitionOffset]) -> None:
        for row in rows:
            self._log.append(("assign", *row))
            self.places[row.partition] = [row.epoch, row.offset, row.offset, row.offset]

    def unassign(self, partitions: Sequence[int]) -> list[PartitionOffset]:
        rows = [self._row(partition) for partition in partitions]
        for partition in partitions:
            self._log.append(("unassign", partition))
            del self.places[partition]
        return rows

    def take(self, max_bytes: int, wait_s: float) -> list[ConsumedRecord]:
        records = []
        for partition, place in self.places.items():
            for _ in range(self.per_take):
                value = bytes(100)
                records.append(ConsumedRecord(partition, place[1], place[0], value, None, 0))
                place[1] += 1
        return records

    def done(self, records: Iterable[ConsumedRecord]) -> None:
        for record in records:
            assert self.places[record.partition][2] == record.offset
            self.places[record.partition][2] += 1

    def progress(self) -> list[PartitionOffset]:
        return [self._row(partition) for partition in self.places]

    def unwritten(self) -> list[PartitionOffset]:
        return [self._row(p) for p, place in self.places.items() if place[2] != place[3]]

    def written(self, rows: Iterable[PartitionOffset]) -> None:
        for row in rows:
            if row.partition in self.places:
                self.places[row.partition][3] = row.offset

    def _row(self, partition: int) -> PartitionOffset:
        return PartitionOffset(partition, self.places[partition][0], self.places[partition][2])


class FakeCommands:
    """Commands in the order in which `take` is to return them, one list a call."""

    def __init__(self, log: Log, script: list[list[Command]]) -> None:
        self._log, self._script = log, script
        self.looks_before_end = 0

    @property
    def is_caught_up(self) -> bool:
        self.looks_before_end -= 1
        return self.looks_before_end < 0

    def take(self, wait_s: float = 0.0) -> list[Command]:
        self._log.append(("look",))
        return self._script.pop(0) if self._script else []


class FakeEvents:
    """Notes events."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.beats: list[Beat] = []

    def send(self, event: Event) -> None:
        if isinstance(event, Beat):
            self.beats.append(event)
        else:
            self._log.append(("event", event))

    def flush(self, seconds: float) -> bool:
        self._log.append(("flush",))
        return True


class FakeProgress:
    """Notes progress; fails as often as it is to."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.failures = 0
        self.error: Exception | None = None
        self.before: Callable[[], None] = lambda: None

    def get_ready(self) -> bool:
        self._log.append(("get_ready",))
        return self._succeeds()

    def write(self, rows: Sequence[PartitionOffset]) -> bool:
        self.before()
        if self.error is not None:
            raise self.error
        done = self._succeeds()
        self._log.append(("progress" if done else "failed", *sorted(rows)))
        return done

    def _succeeds(self) -> bool:
        self.failures -= 1
        return self.failures < 0


class FakeGroup:
    """The four clients, and what they saw."""

    def __init__(self, script: list[list[Command]]) -> None:
        self.log: Log = []
        self.data = FakeData(self.log)
        self.commands = FakeCommands(self.log, script)
        self.events = FakeEvents(self.log)
        self.progress = FakeProgress(self.log)

    @property
    def connections(self) -> Connections:
        return Connections(self.data, self.commands, self.events, self.progress)

    def seen(self, *kinds: str) -> Log:
        """Entries of some kinds."""
        return [entry for entry in self.log if entry[0] in kinds]
