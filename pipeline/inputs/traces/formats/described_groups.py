"""Collects what snapshots of ``kafka-consumer-groups --describe`` say about the group."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from pipeline.inputs.traces.formats.kafka_tools import MISSING, Cells
from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup


class DescribedGroups:
    """Rows of one consumer group; of several, none are kept: which one to size is not known."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._times: dict[float, int] = {}
        self._partitions: dict[str, int] = {}
        self._members: dict[str, int] = {}
        self._hosts: list[str] = []
        self._rows: tuple[array[int], array[int], array[int]] = (array("q"), array("q"), array("q"))
        self._offsets: tuple[array[float], array[float]] = (array("d"), array("d"))

    def add(self, time: float, partition: str, cells: Cells) -> None:
        """Add the row of a partition."""
        if not self._is_only(cells):
            return
        snapshot, member = self._begin(time, cells)
        place = self._partitions.setdefault(partition, len(self._partitions))
        for column, value in zip(self._rows, (snapshot, place, member), strict=True):
            column.append(value)
        for offsets, text in zip(self._offsets, (cells.committed, cells.end), strict=True):
            offsets.append(float(text) if text.isdecimal() else np.nan)

    def add_idle(self, time: float, cells: Cells) -> None:
        """Add the row of a member without partitions."""
        if self._is_only(cells):
            self._begin(time, cells)

    def group(self, partitions: Sequence[str]) -> RecordedGroup | None:
        """The group over the partitions of a trace; None if there is none or are several.

        partitions: Names of the partitions in order; rows of others are left out.
        """
        if len(self._names) != 1 or not self._rows[0]:
            return None
        place_of = {name: place for place, name in enumerate(partitions)}
        places = np.array([place_of.get(name, -1) for name in self._partitions], dtype=np.int64)
        snapshot, partition, member = (np.array(column, dtype=np.int64) for column in self._rows)
        place = places[partition]
        kept = place >= 0
        shape = (len(self._times), len(partitions))
        committed, ends = np.full(shape, np.nan), np.full(shape, np.nan)
        owners = np.full(shape, NO_MEMBER, dtype=np.int64)
        cells = (snapshot[kept], place[kept])
        committed[cells] = np.array(self._offsets[0])[kept]
        ends[cells] = np.array(self._offsets[1])[kept]
        owners[cells] = member[kept]
        return RecordedGroup(
            name=next(iter(self._names)),
            partitions=tuple(partitions),
            times=np.array(list(self._times)),
            committed=committed,
            ends=ends,
            owners=owners,
            members=tuple(self._members),
            hosts=tuple(self._hosts),
        )

    def _is_only(self, cells: Cells) -> bool:
        """Whether all rows so far are of one group."""
        self._names.add(cells.group)
        return len(self._names) == 1

    def _begin(self, time: float, cells: Cells) -> tuple[int, int]:
        """Index of the snapshot and of the member of a row."""
        snapshot = self._times.setdefault(time, len(self._times))
        if cells.member in MISSING:
            return snapshot, NO_MEMBER
        member = self._members.setdefault(cells.member, len(self._members))
        if member == len(self._hosts):
            self._hosts.append("" if cells.host in MISSING else cells.host.removeprefix("/"))
        return snapshot, member
