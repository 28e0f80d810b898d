"""Rates of a stream in a file: float64, little endian, ``[iterations][partitions]``."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

from pipeline.base.errors import StageError


def write(file: Path, rates: Iterable[Iterable[float]]) -> None:
    """Write the rates of each iteration, bytes/s."""
    values = array("d", [rate for row in rates for rate in row])
    if sys.byteorder == "big":
        values.byteswap()
    file.write_bytes(values.tobytes())


def read(file: Path, iterations: int, partitions: int) -> Sequence[Sequence[float]]:
    """Rates of each iteration, bytes/s. Raises StageError if the size differs, or OSError."""
    data = file.read_bytes()
    if len(data) != 8 * iterations * partitions:
        shape = f"{iterations} iterations × {partitions} partitions × 8 bytes"
        raise StageError(f"{file}: must have {shape} (got {len(data)} bytes)")
    values = array("d")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return [values[i * partitions : (i + 1) * partitions] for i in range(iterations)]
