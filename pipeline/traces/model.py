"""What every format is read into."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline import files, limits
from pipeline.errors import InputError

Floats = NDArray[np.float64]

RATE = "a rate is a number of bytes/s, at least 0"
ABSENT = "leave it out where the partition does not exist"


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded stream.

    Attributes
    ----------
    name
        Name of the file, without its folder.
    partitions
        Names of the P partitions, different from each other.
    rates
        ``float64[N, P]``, bytes/s; NaN where a partition is absent.
    digest
        SHA-256 of the rates' bytes (row by row, little-endian), hexadecimal: the same
        measurements have the same digest in each format.
    """

    name: str
    partitions: tuple[str, ...]
    rates: Floats
    digest: str


def make(path: Path, partitions: Sequence[str], rates: Floats) -> Trace:
    """Complete a trace whose rates have been checked one by one.

    Raises
    ------
    InputError
        If no partition is present at any time.
    """
    if np.isnan(rates).all():
        raise InputError(
            f"{path}: has no rate at all: at least one partition must be present at one time; "
            "give a trace with rates"
        )
    # One bit pattern each for zero and for absence, so that equal traces have equal digests.
    clean = np.where(np.isnan(rates), np.nan, rates + 0.0)
    digest = hashlib.sha256(np.ascontiguousarray(clean, dtype="<f8").tobytes()).hexdigest()
    return Trace(files.shown_name(path), tuple(partitions), clean, digest)


def check_size(path: Path, iterations: int, partitions: int) -> None:
    """Raise `InputError` if a trace is larger than a task can hold."""
    for count, what, most in (
        (partitions, "partitions", limits.MAX_PARTITIONS),
        (iterations, "times", limits.MAX_ITERATIONS),
    ):
        if count > most:
            raise InputError(
                f"{path}: has {count:,} {what}: at most {most:,} are allowed; split the trace"
            )
    shape = f"{path}: {partitions:,} partitions × {iterations:,} times"
    limits.check_rates(shape, partitions * iterations)
