"""Evidence of processed records, as arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.arrays import Bools, Ints, Longs
from live.records import evidence_file

_FILE = re.compile(r"c(\d+)-(\d+)\.bin")


class ProcessedRecords(NamedTuple):
    """Processed records, one per place; those of a consumer's process in order of processing."""

    partition: Ints
    epoch: Ints
    """`partition`, `epoch`: partition, and the epoch in which it was processed."""
    sequence: Longs
    """Number of the record within its partition, from 0."""
    due_ns: Longs
    read_ns: Longs
    done_ns: Longs
    """`due_ns`, `read_ns`, `done_ns`: when it was due, taken up and processed, nanoseconds of the
    run's clock."""
    consumer: Ints
    incarnation: Ints
    """`consumer`, `incarnation`: slot of the consumer, and number of the process in it."""

    @property
    def size(self) -> int:
        """Number of records."""
        return len(self.partition)

    def at(self, places: Longs | Bools) -> ProcessedRecords:
        """The records at some places, or where a mask is true."""
        return ProcessedRecords._make(column[places] for column in self)


def read_folder(folder: Path) -> ProcessedRecords:
    """Evidence of all processes of a run, by consumer and incarnation.

    folder: Folder with files such as ``c3-1.bin``; other files are ignored.
    Raises OSError if a file cannot be read.
    """
    named = [(_FILE.fullmatch(file.name), file) for file in folder.glob("*.bin")]
    files = sorted((int(name[1]), int(name[2]), file) for name, file in named if name)
    return joined(read_file(file, consumer, number) for consumer, number, file in files)


def read_file(file: Path, consumer: int, incarnation: int) -> ProcessedRecords:
    """Evidence of one process. Raises OSError if it cannot be read."""
    rows = evidence_file.records(file)
    stored = [np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()]
    return ProcessedRecords._make(
        [*stored, _constant(consumer, len(rows)), _constant(incarnation, len(rows))]
    )


def joined(parts: Iterable[ProcessedRecords]) -> ProcessedRecords:
    """Records of several processes as one."""
    columns = zip(*(NONE, *parts), strict=True)
    return ProcessedRecords._make(map(np.concatenate, columns))


def first_reads(records: ProcessedRecords) -> ProcessedRecords:
    """The first time that each record was read, by partition and sequence number."""
    order = np.lexsort((records.read_ns, records.sequence, records.partition))
    sorted_ = records.at(order)
    is_first = np.ones(records.size, np.bool_)
    is_first[1:] = (np.diff(sorted_.partition) != 0) | (np.diff(sorted_.sequence) != 0)
    return sorted_.at(is_first)


def _constant(value: int, count: int) -> NDArray[np.int32]:
    return np.full(count, value, np.int32)


_NO_INTS, _NO_LONGS = np.empty(0, np.int32), np.empty(0, np.int64)

NONE = ProcessedRecords(
    _NO_INTS, _NO_INTS, _NO_LONGS, _NO_LONGS, _NO_LONGS, _NO_LONGS, _NO_INTS, _NO_INTS
)
"""No records."""
