"""Evidence of the records that a consumer has processed, in a file that survives kill -9.

Each record is one write at the end of the file. What was written is in the file, whatever happens
to the process: a record that was cut off by the kill was not processed, and does not count.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

RECORD = struct.Struct("<iiqqqq")
"""Partition, epoch, sequence, due, read and done, the last three in ns of the run's clock."""

STORED = np.dtype(
    [(name, "<i4") for name in ("partition", "epoch")]
    + [(name, "<i8") for name in ("sequence", "due_ns", "read_ns", "done_ns")]
)
"""The same for NumPy."""


class Evidence(NamedTuple):
    """A processed record."""

    partition: int
    epoch: int  # Of the partition, in which the record was processed.
    sequence: int  # Within its partition.
    due_ns: int
    read_ns: int  # When the consumer took it up.
    done_ns: int


class EvidenceWriter:
    """Appends records to a new file.

    file: Path of the file; its folder is created.
    Raises FileExistsError if the file exists: an incarnation has only one.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.count = 0
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    def append(
        self, partition: int, epoch: int, sequence: int, due_ns: int, read_ns: int, done_ns: int
    ) -> None:
        """Store a record; it is in the file on return. Raises OSError if the device is full."""
        data = RECORD.pack(partition, epoch, sequence, due_ns, read_ns, done_ns)
        if os.write(self._file, data) < RECORD.size:
            os.ftruncate(self._file, self.count * RECORD.size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.count += 1

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def records(file: Path) -> npt.NDArray[np.void]:
    """Records in processing order, as rows of `STORED`. Raises OSError if it cannot be read."""
    data = file.read_bytes()
    return np.frombuffer(data, STORED, len(data) // RECORD.size)


def read(file: Path) -> list[Evidence]:
    """Records of a file, as `records`."""
    return [Evidence(*row) for row in records(file).tolist()]


def counted(file: Path) -> int:
    """Number of records in a file, by its size."""
    return file.stat().st_size // RECORD.size


def distinct(files: Iterable[Path]) -> int:
    """Number of records in the files of one run, where one that was processed again counts once."""
    keys = [records(file)[["partition", "sequence"]] for file in files]
    return len(np.unique(np.concatenate(keys))) if keys else 0
