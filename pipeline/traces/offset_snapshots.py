"""Snapshots of end offsets as Kafka's tools print them, each after a line with its time.

Both ``kafka-get-offsets`` (``topic:partition:offset``) and ``kafka-consumer-groups --describe`` are
read, of which the latter has the end offset in the column ``LOG-END-OFFSET``.
"""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np

from pipeline import limits
from pipeline.errors import InputError
from pipeline.text.quoting import shown
from pipeline.traces import csv_header, series_trace
from pipeline.traces.model import Trace, check_name
from pipeline.traces.moments import Clock
from pipeline.traces.sampled_series import Series
from pipeline.traces.series_trace import OFFSETS, SEE, Source

OF_OFFSETS, OF_GROUPS = "kafka-get-offsets", "kafka-consumer-groups --describe"

_OFFSET = re.compile(r"([\w.-]+):([0-9]{1,9}):([0-9]{0,19})", re.ASCII)
_END = "LOG-END-OFFSET"
_TIME = re.compile(
    r"[#=> -]*("
    r"[0-9]{9,13}(?:\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][-+0-9:.,Z]+|"
    r"[A-Z][a-z]{2},? [0-9A-Za-z :]{8,60}?"
    r")[#=:< -]*",
    re.ASCII,
)
_REMARK = re.compile(r"(\[|Consumer group|Error|WARN|Warning|Note|OpenJDK|SLF4J|GROUP +$)")
_TIME_LINE = "a line with its time, such as `date -u +%FT%TZ` prints"


def looks_like(head: str) -> bool:
    """Whether the first lines of a file are those of snapshots."""
    return any(
        _is_groups(line) or (_OFFSET.fullmatch(line) and not _TIME.fullmatch(line))
        for line in map(str.strip, head.splitlines())
    )


def read(path: Path) -> Trace:
    """Read two or more snapshots; partitions are named ``topic/partition``.

    Raises
    ------
    InputError
        If a line is not valid, times do not ascend, or there is only one snapshot.
    """
    with csv_header.opened(path) as file:
        parser = _Parser(path)
        for number, line in enumerate(file, start=1):
            if line.strip():
                parser.take(number, line.strip())
    if parser.count < 2:
        raise InputError(
            f"{path}: two or more snapshots of offsets are needed for a rate (got "
            f"{parser.count}); {SEE}"
        )
    series = [
        Series(name, np.array(times), np.array(offsets))
        for name, (times, offsets) in parser.partitions.items()
    ]
    form = f"{parser.count:,} snapshots of {parser.tool}"
    return series_trace.of_series(Source(path, form, OFFSETS, at=parser.clock.text), series)


def _is_groups(line: str) -> bool:
    """Whether a line is the header of a table of consumer groups."""
    return {"TOPIC", "PARTITION", _END} <= set(line.split())


class _Parser:
    """Takes lines in order.

    Attributes
    ----------
    partitions
        Times and offsets by partition.
    tool
        The tool that printed the snapshots.
    count
        Number of snapshots with offsets.
    """

    def __init__(self, path: Path) -> None:
        self.partitions: dict[str, tuple[array[float], array[float]]] = {}
        self.tool, self.count, self.clock = OF_OFFSETS, 0, Clock()
        self._path, self._time, self._header = path, -1.0, list[str]()
        self._has_offsets, self._samples = False, 0

    def take(self, number: int, line: str) -> None:
        """Take a line that is not empty."""
        where = f"{self._path}:{number}"
        if _is_groups(line):
            self.tool, self._header = OF_GROUPS, line.split()
        elif self._header and len(cells := line.split()) == len(self._header):
            row = dict(zip(self._header, cells, strict=True))
            self._add(where, f"{row['TOPIC']}/{row['PARTITION']}", row[_END])
        elif time := _TIME.fullmatch(line):
            self._begin(where, time[1])
        elif offset := _OFFSET.fullmatch(line):
            self._add(where, f"{offset[1]}/{int(offset[2])}", offset[3])
        elif not _REMARK.match(line):
            raise InputError(
                f"{where}: must be topic:partition:offset, a row of {OF_GROUPS}, or {_TIME_LINE} "
                f"(got {shown(line)}); {SEE}"
            )

    def _begin(self, where: str, text: str) -> None:
        """Begin the snapshot of a time."""
        try:
            time = self.clock.seconds(text.strip())
        except ValueError as error:
            raise InputError(f"{where}: the time {error} (got {shown(text)}); {SEE}") from None
        if time <= self._time:
            raise InputError(f"{where}: the time of a snapshot must be after the last one; {SEE}")
        self._time, self._has_offsets, self._header = time, False, []

    def _add(self, where: str, name: str, text: str) -> None:
        """Add an offset; of several groups' rows for a partition, the highest one counts."""
        if self._time < 0.0:
            raise InputError(f"{where}: put {_TIME_LINE}, before each snapshot; {SEE}")
        if text in ("", "-"):
            return
        if not text.isdecimal() or not name.rpartition("/")[2].isdecimal():
            raise InputError(f"{where}: {_END} must be an integer (got {shown(text)}); {SEE}")
        check_name(where, len(name))
        times, offsets = self.partitions.setdefault(name, (array("d"), array("d")))
        if times and times[-1] == self._time:
            offsets[-1] = max(offsets[-1], float(text))
            return
        times.append(self._time)
        offsets.append(float(text))
        self.count += not self._has_offsets
        self._has_offsets = True
        self._samples += 1
        if self._samples > limits.MAX_RATES:
            limits.check_rates(f"{self._samples:,} offsets", self._samples, f"{where}: ")
