"""Snapshots of end offsets as Kafka's tools print them, each after a line with its time.

Both ``kafka-get-offsets`` (``topic:partition:offset``) and ``kafka-consumer-groups --describe`` are
read, of which the latter has the end offset in the column ``LOG-END-OFFSET``. Other lines, such as
warnings of Java, are skipped and counted.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header, kafka_tools
from pipeline.inputs.traces.formats.described_groups import DescribedGroups
from pipeline.inputs.traces.formats.kafka_tools import (
    END,
    MISSING,
    OF_GROUPS,
    OF_OFFSETS,
    Cells,
    Header,
)
from pipeline.inputs.traces.model import check_name
from pipeline.inputs.traces.moments import Clock
from pipeline.inputs.traces.rates import long_table
from pipeline.inputs.traces.rates.long_table import OFFSETS, LongTable
from pipeline.inputs.traces.reading import Reading

_TIME = re.compile(
    r"[#=> -]*("
    r"[0-9]{9,20}(?:\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][-+0-9:.,Z]+|"
    r"[A-Z][a-z]{2},? [0-9A-Za-z :]{8,60}?"
    r")[#=:< -]*",
    re.ASCII,
)
_GROUP = re.compile(r"GROUP +(\S+)")
"""A line before the table that rpk prints."""
_OF_TOOL = re.compile(
    r"Consumer group|GROUP *$|(COORDINATOR|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(  |$)"
)
"""Lines that belong to the tools' output, and are not worth a note."""
_ALMOST_TIME = re.compile(r"(?=(.*[0-9]){6})[-0-9:/., TZ+APMapm]+")
_TIME_LINE = "a line with its time, such as `date -u +%FT%TZ` prints"
_MOST_LINES = 2_000_000
"""Lines in which offsets are looked for."""


def looks_like(head: Head) -> bool:
    """Whether some lines are those of snapshots; warnings may stand before the first one."""
    if any(map(_is_of_snapshot, head.text.splitlines())):
        return True
    return not csv_header.is_valid(head.path) and _is_within(head.path)


def _is_of_snapshot(line: str) -> bool:
    text = line.strip()
    if kafka_tools.header(text) is not None:
        return True
    if kafka_tools.OFFSET.fullmatch(text) is not None:
        return _TIME.fullmatch(text) is None
    return _dated(text) is not None


def _dated(text: str) -> tuple[str, str] | None:
    """Time and offset of a line that has both."""
    time, _, offset = text.rpartition(" ")
    if kafka_tools.OFFSET.fullmatch(offset) and (match := _TIME.fullmatch(time.strip())):
        return match[1], offset
    return None


def _is_within(path: Path) -> bool:
    """Whether snapshots begin in a text file. Raises InputError if Kafka's are of another kind."""
    words, where = "", 0
    with csv_header.opened(path) as file:
        for number, line in zip(range(1, _MOST_LINES), file, strict=False):
            if _is_of_snapshot(line):
                return True
            if not words and (words := kafka_tools.unreadable(line)):
                where = number
    if words:
        raise InputError(f"{path}:{where}: {words}; {SEE}")
    return False


def read(path: Path, reading: Reading) -> LongTable:
    """Read two or more snapshots; partitions are named ``topic/partition``.

    Raises InputError if a line is almost one of a snapshot, times do not ascend, or there is only
        one snapshot.
    """
    with csv_header.opened(path) as file:
        parser = _Parser(path, Clock(reading.timestamps))
        for number, line in enumerate(file, start=1):
            if line.strip():
                parser.take(number, line.rstrip(), is_whole=line.endswith("\n"))
    if parser.count < 2:
        raise InputError(
            f"{path}: two or more snapshots of offsets are needed for a rate (got "
            f"{parser.count}); {SEE}"
        )
    columns = [(np.array(times), np.array(ends)) for times, ends in parser.partitions.values()]
    return LongTable(
        path,
        f"{parser.count:,} snapshots of {parser.tool}",
        *long_table.stacked(columns),
        list(parser.partitions),
        kind=OFFSETS,
        text=parser.clock.text,
        notes=tuple(parser.notes()),
        group=parser.groups.group,
    )


class _Parser:
    """Takes lines in order.

    partitions: Times and offsets by partition.
    groups: What the snapshots say about consumer groups.
    tool: The tool that printed the snapshots.
    count: Number of snapshots with offsets.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self.partitions: dict[str, tuple[array[float], array[float]]] = {}
        self.groups = DescribedGroups()
        self.tool, self.count, self.clock = OF_OFFSETS, 0, clock
        self._path, self._time = path, -1.0
        self._has_offsets, self._samples, self._cut = False, 0, False
        self._table, self._group = 0, ""
        self._seen: set[tuple[str, str]] = set()
        self._skipped = array("q")
        self._header: Header | None = None

    def take(self, number: int, line: str, is_whole: bool) -> None:
        """Take a line that is not empty; the last one of a file may not be whole."""
        if is_whole:
            self._take(number, line)
            return
        try:
            self._take(number, line, is_whole)
        except InputError:
            self._cut = True

    def _take(self, number: int, line: str, is_whole: bool = True) -> None:
        where, text = f"{self._path}:{number}", line.strip()
        if header := kafka_tools.header(line):
            self.tool, self._header = OF_GROUPS, header
            self._table += 1
        elif self._header and (cells := self._header.cells(line)):
            self._add_row(where, cells, is_whole)
        elif time := _TIME.fullmatch(text):
            self._begin(where, time[1])
        elif offset := kafka_tools.OFFSET.fullmatch(text):
            self._add_once(where, "", f"{offset[1]}/{int(offset[2])}", offset[3], is_whole)
        elif words := _dated(text):
            self._begin(where, words[0], again=True)
            self._take(number, words[1], is_whole)
        elif self._is_almost(text):
            raise InputError(
                f"{where}: must be topic:partition:offset, a row of {OF_GROUPS}, or {_TIME_LINE} "
                f"(got {shown(text)}); {SEE}"
            )
        elif group := _GROUP.fullmatch(text):
            self._header, self._group = None, group[1]
        elif not _OF_TOOL.match(text):
            if kafka_tools.unreadable(text):
                self._header = None
            self._skipped.append(number)

    def _is_almost(self, text: str) -> bool:
        """Whether a line is no noise: it is nearly one that is read."""
        if self._header is not None and self._header.is_almost(text):
            return True
        return bool(kafka_tools.is_almost_offset(text) or _ALMOST_TIME.fullmatch(text))

    def _begin(self, where: str, text: str, again: bool = False) -> None:
        """Begin the snapshot of a time, or go on with it."""
        try:
            time = self.clock.seconds(text.strip())
        except ValueError as error:
            raise InputError(f"{where}: the time {error} (got {shown(text)}); {SEE}") from None
        if time == self._time and (again or not self._has_offsets):
            return
        if time <= self._time:
            raise InputError(
                f"{where}: the time of a snapshot must be after the last one; if the clock went "
                f"back, remove the snapshots before it, and write times in UTC; {SEE}"
            )
        self._time, self._has_offsets, self._header = time, False, None
        self._table, self._group = 0, ""
        self._seen.clear()

    def _add_row(self, where: str, cells: Cells, is_whole: bool) -> None:
        """Add a row of a table of groups; of several groups' offsets the highest one counts."""
        self._check_time(where)
        number, topic = cells.partition, cells.topic
        cells = cells._replace(group=cells.group or self._group_of_table())
        if number in MISSING and topic in MISSING:
            self.groups.add_idle(self._time, cells)
            return
        if not number.isdecimal() or not (cells.end.isdecimal() or cells.end in MISSING):
            got = shown(cells.end if number.isdecimal() else number)
            raise InputError(f"{where}: {END} must be an integer (got {got}); {SEE}")
        name = f"{topic}/{int(number)}"
        self._add_once(where, cells.group, name, cells.end, is_whole)
        self.groups.add(self._time, name, cells)

    def _group_of_table(self) -> str:
        """Name of the group of a table without such a column; only the first one may lack it."""
        return self._group or (f"table {self._table}" if self._table > 1 else "")

    def _add_once(self, where: str, group: str, name: str, text: str, is_whole: bool) -> None:
        self._check_time(where)
        if (group, name) in self._seen:
            raise InputError(
                f"{where}: a partition occurs twice in one snapshot; put {_TIME_LINE}, before each "
                f"snapshot{self._first_skipped()}; {SEE}"
            )
        self._seen.add((group, name))
        if text not in MISSING:
            self._add(where, name, float(text), is_whole)

    def _check_time(self, where: str) -> None:
        if self._time < 0.0:
            raise InputError(
                f"{where}: put {_TIME_LINE}, before each snapshot{self._first_skipped()}; {SEE}"
            )

    def _first_skipped(self) -> str:
        return f" (line {self._skipped[0]:,} is none)" if self._skipped else ""

    def _add(self, where: str, name: str, offset: float, is_whole: bool) -> None:
        """Add the end offset of a partition."""
        check_name(where, len(name))
        times, offsets = self.partitions.setdefault(name, (array("d"), array("d")))
        if not is_whole and offsets and offset < offsets[-1]:
            # The digits that are missing would make it a reset.
            self._cut = True
            return
        if times and times[-1] == self._time:
            offsets[-1] = max(offsets[-1], offset)
            return
        times.append(self._time)
        offsets.append(offset)
        self.count += not self._has_offsets
        self._has_offsets = True
        self._samples += 1
        if self._samples > limits.MAX_RATES:
            limits.check_rates(f"{self._samples:,} offsets", self._samples, f"{where}: ")

    def notes(self) -> Iterator[str]:
        """What was guessed and left out."""
        yield from self.clock.notes
        if self._skipped:
            many = len(self._skipped)
            lines = "1 line is" if many == 1 else f"{many:,} lines are"
            first = (
                f"line {self._skipped[0]:,}" if many == 1 else f"first line {self._skipped[0]:,}"
            )
            yield f"{lines} neither a time nor offsets and skipped ({first})."
        if self._cut:
            yield "The last line is cut short and left out."
