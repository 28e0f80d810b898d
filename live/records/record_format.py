"""Bytes of a record: where and when it belongs, then bytes that cannot be compressed."""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

HEAD = struct.Struct("<iiqq")
"""Partition, iteration, sequence number and due time."""

MIN_BYTES, MAX_BYTES = 256, 100_000
"""Sizes of a record's value."""

BLOCK_BYTES = 2**20
"""Random bytes that fillers are cut from; a batch of the producer holds no byte of it twice."""


class InvalidRecord(ValueError):
    """A value is not a record of a live run."""


class RecordHead(NamedTuple):
    """What a record says about itself."""

    partition: int
    """Partition that it was produced to."""
    iteration: int
    """Iteration in which it is due, from 0."""
    sequence: int
    """Number of the record within its partition, from 0; equal to its offset in a new topic."""
    due_ns: int
    """When it was due, in nanoseconds of the run's clock (see `run_clock`)."""


class RecordWriter:
    """Makes values of 256 to 100,000 bytes. seed: Root of the random bytes."""

    def __init__(self, record_bytes: int, seed: int) -> None:
        if not MIN_BYTES <= record_bytes <= MAX_BYTES:
            bounds = f"between {MIN_BYTES} and {MAX_BYTES:,} bytes"
            raise ValueError(f"record_bytes must be {bounds} (got {record_bytes})")
        self._size = record_bytes - HEAD.size
        self._starts = BLOCK_BYTES // self._size
        self._block = random.Random(seed).randbytes(self._starts * self._size)
        self._next = 0

    def value(self, partition: int, iteration: int, sequence: int, due_ns: int) -> bytes:
        """Value of a record: its head, and the next slice of the random block."""
        start = self._next * self._size
        self._next = (self._next + 1) % self._starts
        head = HEAD.pack(partition, iteration, sequence, due_ns)
        return head + self._block[start : start + self._size]


def parse(value: bytes) -> RecordHead:
    """Head of a record. Raises InvalidRecord if it is too short or has a negative number."""
    if len(value) < HEAD.size:
        raise InvalidRecord(f"a record has at least {HEAD.size} bytes (got {len(value)})")
    head = RecordHead(*HEAD.unpack_from(value))
    if min(head) < 0:
        raise InvalidRecord(f"numbers of a record are at least 0 (got {tuple(head)})")
    return head
