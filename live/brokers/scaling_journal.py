"""What a controller has done to a cluster, in a file from which another one goes on.

A line of JSON per finished phase, on disk before the next phase begins. A line that a kill cut off
does not count: its phase is done again.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from live.brokers.throttles import Lists
from live.user_cluster.replica_logs import Partition
from pipeline.base.errors import StageError

Entry = dict[str, Any]

UP, DOWN = "up", "down"
DONE, CANCELLED, UNDONE = "done", "cancelled", "undone"
BEGUN, PLANNED, UNDOING = "begun", "planned", "undoing"
ENDS = (DONE, CANCELLED, UNDONE)
"""Phases after which a scaling is over."""


class Scaling(NamedTuple):
    """A broker that is added or removed."""

    number: int
    """From 1."""
    kind: str
    """`UP` or `DOWN`."""
    broker: int


class ScalingJournal:
    """Appends phases to a file, which it creates, and reads them.

    Raises StageError if the file is damaged before its last line.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = b"".join(_lines(file)) if file.exists() else b""
        self.entries = [_entry(line, file) for line in whole.splitlines()]
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.ftruncate(self._file, len(whole))

    def append(self, scaling: Scaling, phase: str, **content: Any) -> None:
        """Store a phase; it is on disk on return."""
        entry = {**scaling._asdict(), "phase": phase, "at_ns": time.monotonic_ns(), **content}
        os.write(self._file, f"{json.dumps(entry)}\n".encode())
        os.fsync(self._file)
        self.entries.append(entry)

    def of(self, scaling: Scaling) -> dict[str, Entry]:
        """Phases of a scaling, each as it was last stored."""
        return {entry["phase"]: entry for entry in self.entries if _scaling(entry) == scaling}

    def unfinished(self) -> Scaling | None:
        """The scaling that was broken off; None if all are over."""
        if not self.entries or self.entries[-1]["phase"] in ENDS:
            return None
        return _scaling(self.entries[-1])

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def stored_lists(lists: Lists) -> list[list[Any]]:
    """Lists of partitions as JSON has them."""
    return [[topic, number, list(row)] for (topic, number), row in lists.items()]


def read_lists(stored: list[list[Any]]) -> dict[Partition, tuple[int, ...]]:
    """The lists of `stored_lists`."""
    return {(topic, number): tuple(row) for topic, number, row in stored}


def _lines(file: Path) -> list[bytes]:
    """Lines that are complete."""
    return [line for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def _entry(line: bytes, file: Path) -> Entry:
    try:
        entry: Entry = json.loads(line)
        _scaling(entry)
    except (ValueError, LookupError, TypeError) as error:
        raise StageError(f"{file}: the journal is damaged ({error})") from error
    return entry


def _scaling(entry: Entry) -> Scaling:
    return Scaling(entry["number"], entry["kind"], entry["broker"])
