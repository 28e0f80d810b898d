"""When each record of a stream is due, one by one.

The n-th record of a partition (n = 1, 2, …) is due when the integral of its rate reaches
n · record bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

from live.records.stream_rates import StreamRates


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
    """Due times of all records of a stream; the arguments are those of `StreamRates`."""

    def __init__(
        self, rates: Sequence[Sequence[float]], iteration_s: float, record_bytes: int
    ) -> None:
        self._stream = StreamRates(rates, iteration_s, record_bytes)
        self.iterations, self.partitions = self._stream.iterations, self._stream.partitions

    def records(self) -> Iterator[DueRecord]:
        """All records by due time; those due in the same nanosecond by partition."""
        integrals, sequences = [0] * self.partitions, [0] * self.partitions
        for iteration in range(self.iterations):
            rates = self._stream.units(iteration)
            yield from self._iteration(iteration, rates, integrals, sequences)
            integrals = [
                done + rate * self._stream.span_ns
                for done, rate in zip(integrals, rates, strict=True)
            ]

    def counts(self) -> Iterator[list[int]]:
        """Number of records of each partition that are due in each iteration, in order."""
        integrals = [0] * self.partitions
        size = self._stream.size
        for iteration in range(self.iterations):
            rates = self._stream.units(iteration)
            after = [
                done + rate * self._stream.span_ns
                for done, rate in zip(integrals, rates, strict=True)
            ]
            yield [new // size - old // size for old, new in zip(integrals, after, strict=True)]
            integrals = after

    def _iteration(
        self, iteration: int, rates: list[int], integrals: list[int], sequences: list[int]
    ) -> Iterator[DueRecord]:
        """Records of one iteration; counts `sequences` on."""
        size, span_ns = self._stream.size, self._stream.span_ns
        start, end = iteration * span_ns, (iteration + 1) * span_ns
        heap = [
            DueRecord(start - (done - (n + 1) * size) // rate, partition, n, iteration)
            for partition, (rate, done, n) in enumerate(
                zip(rates, integrals, sequences, strict=True)
            )
            if rate and done + rate * span_ns >= (n + 1) * size
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
