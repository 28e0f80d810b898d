"""Evidence of the records that a consumer has processed, in a file that survives kill -9.

The file is mapped into memory and shared with the system: what is stored in the mapping is in the
file, whatever happens to the process. A record is stored first and counted after it, so every
counted record is complete.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.errors import StageError

MAGIC, VERSION = b"GSEV", 1

HEADER = struct.Struct("<4sIq")
"""Magic, version, and the number of records."""

RECORD = struct.Struct("<iiqqqq")
"""Partition, epoch, sequence, due, read and done, the last three in ns of the run's clock."""

STORED = np.dtype(
    [(name, "<i4") for name in ("partition", "epoch")]
    + [(name, "<i8") for name in ("sequence", "due_ns", "read_ns", "done_ns")]
)
"""The same for NumPy."""

COUNT = struct.Struct("<q")
COUNT_AT = 8

STEP_BYTES = 2**20
"""How much the file grows at a time."""


class DamagedEvidence(StageError):
    """A file is not evidence, or is shorter than its header says."""


class Evidence(NamedTuple):
    """A processed record.

    Attributes
    ----------
    partition
        Partition of the record.
    epoch
        Epoch of the partition in which the record was processed.
    sequence
        Number of the record within its partition.
    due_ns
        When it was due.
    read_ns
        When the consumer took it up.
    done_ns
        When it was processed.
    """

    partition: int
    epoch: int
    sequence: int
    due_ns: int
    read_ns: int
    done_ns: int


class EvidenceWriter:
    """Appends records to a new file.

    Parameters
    ----------
    file
        Path of the file; its folder is created.

    Raises
    ------
    FileExistsError
        If the file exists: an incarnation has only one.
    OSError
        If there is no space left on the device; also raised by `append`.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.count = 0
        self._file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            os.posix_fallocate(self._file, 0, STEP_BYTES)
            self._map = mmap.mmap(self._file, STEP_BYTES)
        except OSError:
            os.close(self._file)
            raise
        self._size, self._end = STEP_BYTES, HEADER.size
        HEADER.pack_into(self._map, 0, MAGIC, VERSION, 0)

    def append(
        self, partition: int, epoch: int, sequence: int, due_ns: int, read_ns: int, done_ns: int
    ) -> None:
        """Store a record; it is in the file when the call returns."""
        after = self._end + RECORD.size
        if after > self._size:
            self._grow()
        RECORD.pack_into(self._map, self._end, partition, epoch, sequence, due_ns, read_ns, done_ns)
        self._end = after
        self.count += 1
        # Eight aligned bytes are stored at once: a reader sees the old count or the new one.
        COUNT.pack_into(self._map, COUNT_AT, self.count)

    def close(self) -> None:
        """Cut the file to its records; a second call does nothing."""
        if self._map.closed:
            return
        self._map.close()
        os.ftruncate(self._file, self._end)
        os.close(self._file)

    def _grow(self) -> None:
        # Allocated for real: a write to a hole on a full disk would end the process (SIGBUS).
        os.posix_fallocate(self._file, self._size, STEP_BYTES)
        self._map.resize(self._size + STEP_BYTES)
        self._size += STEP_BYTES


def read(file: Path) -> list[Evidence]:
    """Records of a file in the order of processing, also while it is written.

    Raises
    ------
    DamagedEvidence
        If the file is not evidence or is cut off.
    OSError
        If it cannot be read.
    """
    data = file.read_bytes()
    count = counted(data[: HEADER.size], len(data), file)
    body = memoryview(data)[HEADER.size : HEADER.size + count * RECORD.size]
    return [Evidence(*fields) for fields in RECORD.iter_unpack(body)]


def distinct(files: Iterable[Path]) -> int:
    """Number of records in files, where one that was processed again counts once.

    Parameters
    ----------
    files
        Files of one run, also while they are written.

    Raises
    ------
    DamagedEvidence
        If a file is not evidence or is cut off.
    OSError
        If one cannot be read.
    """
    parts = [_keys(file.read_bytes(), file) for file in files]
    return len(np.unique(np.concatenate(parts))) if parts else 0


def _keys(data: bytes, file: Path) -> npt.NDArray[np.void]:
    """Partition and sequence number of each record."""
    count = counted(data[: HEADER.size], len(data), file)
    rows = np.frombuffer(data, STORED, count, HEADER.size) if count else np.empty(0, STORED)
    keys = np.empty(count, [("partition", "<i4"), ("sequence", "<i8")])
    keys["partition"], keys["sequence"] = rows["partition"], rows["sequence"]
    return keys


def counted(header: bytes, size: int, file: Path) -> int:
    """Number of records in a file, for readers that map it.

    Parameters
    ----------
    header
        The first bytes of the file, `HEADER.size` of them.
    size
        Size of the file, bytes.
    file
        Path of the file, for messages.

    Raises
    ------
    DamagedEvidence
        If the file is not evidence or is cut off.
    """
    if not any(header):  # Killed before the header was there.
        return 0
    if len(header) < HEADER.size:
        raise DamagedEvidence(f"{file}: not an evidence file ({size} bytes)")
    magic, version, count = HEADER.unpack(header)
    if magic != MAGIC or version != VERSION:
        raise DamagedEvidence(f"{file}: not an evidence file of version {VERSION}")
    if not 0 <= count <= (size - HEADER.size) // RECORD.size:
        raise DamagedEvidence(f"{file}: {count} records do not fit into {size} bytes")
    return int(count)
