"""Reads what the members of a group have noted so far."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tools.bench.rebalances.event_times import KILLED, Entry, Reads
from tools.bench.rebalances.group_member import READ, journal_file, reads_file

_ROW: Final = np.dtype([("at_ns", "<i8"), ("partition", "<i4")])


class GroupFiles:
    """Journals and reads of the members in a folder; members come and go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[str, int] = {}
        self._entries: list[Entry] = []

    def add(self, member: str) -> None:
        """Follow a member that joins."""
        self._offsets[member] = 0

    def killed(self, member: str, at_ns: int) -> None:
        """Note that a member was killed."""
        self.entries()
        self._entries.append({"what": KILLED, "at_ns": at_ns, "member": member})

    def entries(self) -> Sequence[Entry]:
        """Entries of all members up to now, in order of time."""
        for member, offset in self._offsets.items():
            file = journal_file(self._folder, member)
            if file.exists():
                with file.open("rb") as journal:
                    journal.seek(offset)
                    text = journal.read()
                whole = text[: text.rfind(b"\n") + 1]
                self._offsets[member] += len(whole)
                self._entries += [json.loads(line) for line in whole.splitlines()]
        self._entries.sort(key=lambda entry: entry["at_ns"])
        return self._entries

    def reads(self, since_ns: int) -> Reads:
        """Records that members have read since then."""
        times: list[NDArray[np.int64]] = []
        partitions: list[NDArray[np.int32]] = []
        members: list[str] = []
        for member in self._offsets:
            rows = _rows(reads_file(self._folder, member))
            rows = rows[rows["at_ns"] >= since_ns]
            times.append(rows["at_ns"])
            partitions.append(rows["partition"])
            members += [member] * len(rows)
        at_ns = np.concatenate(times)
        order = np.argsort(at_ns, kind="stable")
        return Reads(at_ns[order], np.concatenate(partitions)[order], np.array(members)[order])

    def forget(self, member: str) -> None:
        """Stop to follow a member that has gone, and delete its files."""
        del self._offsets[member]
        journal_file(self._folder, member).unlink()
        reads_file(self._folder, member).unlink()


def _rows(file: Path) -> NDArray[np.void]:
    if not file.exists():
        return np.empty(0, _ROW)
    data = file.read_bytes()
    return np.frombuffer(data[: len(data) // READ.size * READ.size], _ROW)
