"""When each record of a stream is due.

The n-th record of a partition (n = 1, 2, …) is due when the integral of its rate reaches
n · record bytes. Integrals are integers, in units of 10⁻¹⁵ bytes: rates count in millionths of a
byte per second, times in nanoseconds. So no error builds up over iterations, and rates with up to
six decimals are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

RATE_UNITS = 10**6
"""Units of a rate in a byte per second."""

UNITS = RATE_UNITS * 10**9
"""Units of an integral in a byte."""


class DueRecord(NamedTuple):
    """A record and when it is due."""

    due_ns: int
    """Nanoseconds since the start of the first iteration, rounded up."""
    partition: int
    """Index of its partition."""
    sequence: int
    """Number of the record within its partition, from 0."""
    iteration: int
    """Iteration in which it is due, from 0. The end of an iteration is part of it."""


class SendSchedule:
    """Due times of all records of a stream.

    rates: Rate of each partition in each iteration, bytes/s: ``rates[iteration][partition]``.
    iteration_s: Length T of an iteration, seconds; a multiple of a nanosecond.
    record_bytes: Size of a record's value, bytes.
    Raises ValueError if a rate is negative or not finite, a length or size is not positive, or
        iterations differ in their numbers of partitions.
    """

    def __init__(
        self, rates: Sequence[Sequence[float]], iteration_s: float, record_bytes: int
    ) -> None:
        self._span = _nanoseconds(iteration_s)
        if record_bytes < 1:
            raise ValueError(f"record_bytes must be at least 1 (got {record_bytes})")
        self._size = record_bytes * UNITS
        _check(rates)
        self._rates = rates
        self.iterations = len(rates)
        self.partitions = len(rates[0]) if rates else 0

    def records(self) -> Iterator[DueRecord]:
        """All records by due time; those due in the same nanosecond by partition."""
        integrals, sequences = [0] * self.partitions, [0] * self.partitions
        for iteration, row in enumerate(self._rates):
            rates = [_units(rate) for rate in row]
            yield from self._iteration(iteration, rates, integrals, sequences)
            integrals = [
                done + rate * self._span for done, rate in zip(integrals, rates, strict=True)
            ]

    def counts(self) -> Iterator[list[int]]:
        """Number of records of each partition that are due in each iteration, in order."""
        integrals = [0] * self.partitions
        for row in self._rates:
            after = [
                done + _units(rate) * self._span for done, rate in zip(integrals, row, strict=True)
            ]
            yield [
                new // self._size - old // self._size
                for old, new in zip(integrals, after, strict=True)
            ]
            integrals = after

    def _iteration(
        self, iteration: int, rates: list[int], integrals: list[int], sequences: list[int]
    ) -> Iterator[DueRecord]:
        """Records of one iteration; counts `sequences` on."""
        size, start, end = self._size, iteration * self._span, (iteration + 1) * self._span
        heap = [
            DueRecord(start - (done - (n + 1) * size) // rate, partition, n, iteration)
            for partition, (rate, done, n) in enumerate(
                zip(rates, integrals, sequences, strict=True)
            )
            if rate and done + rate * self._span >= (n + 1) * size
        ]
        heapify(heap)
        while heap:
            record = heap[0]
            yield record
            partition, n = record.partition, record.sequence + 1
            sequences[partition] = n
            # Minus before and after the division rounds up, to the first instant not too early.
            due = start - (integrals[partition] - (n + 1) * size) // rates[partition]
            if due <= end:
                heapreplace(heap, DueRecord(due, partition, n, iteration))
            else:
                heappop(heap)


def _nanoseconds(seconds: float) -> int:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"iteration_s must be finite and positive (got {seconds})")
    return max(1, round(seconds * 10**9))


def _units(rate: float) -> int:
    return round(rate * RATE_UNITS)


def _check(rates: Sequence[Sequence[float]]) -> None:
    for iteration, row in enumerate(rates):
        if len(row) != len(rates[0]):
            counts = f"{len(rates[0])} in iteration 0, {len(row)} in iteration {iteration}"
            raise ValueError(f"iterations must have the same partitions (got {counts})")
        for rate in row:
            if not (math.isfinite(rate) and rate >= 0):
                raise ValueError(f"rates must be finite and at least 0 (got {rate})")
