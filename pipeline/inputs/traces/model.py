"""The data model of a trace, the same for every format."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs.traces import files, partition_order
from pipeline.inputs.traces.recorded_group import RecordedGroup

Floats = NDArray[np.float64]

RATE = "rate must be a number of bytes/s, 0 or more"
ABSENT = "omit it while the partition does not exist"


@dataclass(frozen=True, eq=False)
class Times:
    """When the measurements of a file were made."""

    column: str
    """``timestamp`` or ``iteration``."""
    at: Floats
    """``float64[N]``, ascending, from 0: seconds since the first timestamp, or how far the number
    of an iteration is from the first one."""
    first: str
    last: str
    """`first`, `last`: least and greatest time, as written in the file; numbers in seconds."""
    notes: tuple[str, ...] = ()
    """What the reader should know about the times, in sentences."""

    @property
    def in_seconds(self) -> bool:
        """Whether times are in seconds; numbers of iterations have no length."""
        return self.column == "timestamp"


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded stream."""

    name: str
    """Name of the file, without its folder."""
    partitions: tuple[str, ...]
    """Names of the P partitions, different from each other, in `partition_order`."""
    rates: Floats
    """``float64[N, P]``, bytes/s; NaN where a partition is absent."""
    digest: str
    """SHA-256 of the rates' bytes (row by row, little-endian), hexadecimal: the same measurements
    have the same digest in each format."""
    form: str = ""
    """Format of the file, in words."""
    times: Times | None = None
    """When the measurements were made; None if the file has no times, or the trace has been
    resampled."""
    is_total: bool = False
    """Whether the file has no partitions: its single column is the total rate of a topic."""
    unit: str = ""
    """``bytes/s``, ``messages/s`` or ``per second``; empty for forms of which it is not known."""
    notes: tuple[str, ...] = ()
    """What the reader should know about how rates were made and what is missing, in sentences."""
    warnings: tuple[str, ...] = ()
    """Those of the notes that rows do not show: files that are written of the trace have them."""
    started_at: datetime | None = None
    """Time of the first measurement in UTC, which resampling keeps; None if it is not known. Times
    without a time zone count as UTC."""
    group: RecordedGroup | None = None
    """The consumer group that the file shows besides the rates; None in most forms."""

    def with_rates(self, rates: Floats) -> Trace:
        """A trace of the same partitions at other times."""
        return replace(self, rates=rates, digest=digest_of(rates), times=None)

    def in_bytes(self, message_size: float) -> Trace:
        """A trace in bytes/s of one in messages/s, by the mean size of a message, bytes."""
        rates = self.rates * message_size
        return replace(self, rates=rates, digest=digest_of(rates), unit="bytes/s")


def digest_of(rates: Floats) -> str:
    """SHA-256 of rates in which each absence is the same NaN, hexadecimal."""
    return hashlib.sha256(np.ascontiguousarray(rates, dtype="<f8").tobytes()).hexdigest()


def make(
    path: Path,
    partitions: Sequence[str],
    rates: Floats,
    form: str = "",
    times: Times | None = None,
    is_total: bool = False,
) -> Trace:
    """Complete a trace whose rates have been checked one by one.

    Partitions are put in `partition_order`: neither rows nor columns of a file, nor its form, have
    an influence on the trace.

    Raises InputError if no partition is present at any time.
    """
    if np.isnan(rates).all():
        raise InputError(f"{path}: must have at least one rate (got none)")
    # One bit pattern for zero and one for absence, so that equal traces have equal digests.
    order = partition_order.order(partitions)
    clean = np.where(np.isnan(rates), np.nan, rates + 0.0)
    clean = np.ascontiguousarray(clean[:, order])
    names = tuple(partitions[place] for place in order)
    notes = () if times is None else times.notes
    return Trace(
        files.shown_name(path),
        names,
        clean,
        digest_of(clean),
        form,
        times,
        is_total,
        notes=notes,
    )


def check_name(where: str, longest: int, what: str = "the name of a partition") -> None:
    """Raise `InputError` if a name is longer than a table should hold with each row."""
    if longest > limits.MAX_NAME:
        raise InputError(
            f"{where}: {what} can have at most {limits.MAX_NAME:,} characters (got {longest:,})"
        )


def check_size(path: Path, iterations: int, partitions: int, unit: str = "times") -> None:
    """Raise `InputError` if a trace is larger than a task can hold."""
    for count, what, most in (
        (partitions, "partitions", limits.MAX_PARTITIONS),
        (iterations, unit, limits.MAX_ITERATIONS),
    ):
        if count > most:
            raise InputError(
                f"{path}: can have at most {most:,} {what} (got {count:,}); split the trace"
            )
    shape = f"{partitions:,} partitions × {iterations:,} {unit}"
    limits.check_rates(shape, partitions * iterations, f"{path}: ")
