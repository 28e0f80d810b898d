"""Records that are due together, once per second.

The burst of a second has as many records as its bytes fill, rounded up over all partitions
together. They are split over the partitions in proportion to the partitions' rates: what rounding
withholds from a partition in one second it gets in later ones. With hashed keys, the partition of
each record is drawn instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.workloads import hashed_keys
from live.records.send_schedule import DueRecord
from live.records.stream_rates import StreamRates

SECOND_NS = 10**9

_CREDIT = 10**15
"""Units of a record that a partition is still to get."""

BurstTimes = Callable[[int], Iterable[int]]
"""Times of the bursts of second 0, 1, … of a stream with this end, nanoseconds since its start."""


class BurstSchedule:
    """Due times of all records of a stream of bursts; the arguments as in `SendSchedule`.

    times: When each burst is due; seconds for which it has none are left out.
    keys_seed: Seed by which keys are hashed; None splits bursts exactly.
    """

    def __init__(
        self,
        rates: Sequence[Sequence[float]],
        iteration_s: float,
        record_bytes: int,
        times: BurstTimes,
        keys_seed: int | None,
    ) -> None:
        self._stream = StreamRates(rates, iteration_s, record_bytes)
        self._times, self._keys_seed = times, keys_seed
        self.iterations, self.partitions = self._stream.iterations, self._stream.partitions

    def bursts(self) -> Iterator[tuple[int, int, list[int]]]:
        """Due time, iteration, and number of records by partition of each burst.

        Its time is asked for when the burst before has been dealt with.
        """
        times = iter(self._times(self._stream.end_ns))
        seed = self._keys_seed
        for sizes in _exact(self._stream) if seed is None else _hashed(self._stream, seed):
            due_ns = next(times, None)
            if due_ns is None:
                return
            # The start of an iteration is part of the one before it.
            yield due_ns, (due_ns - 1) // self._stream.span_ns, sizes

    def records(self) -> Iterator[DueRecord]:
        """All records by due time; those of a burst by partition."""
        sequences = [0] * self.partitions
        for due_ns, iteration, sizes in self.bursts():
            for partition, size in enumerate(sizes):
                first = sequences[partition]
                sequences[partition] += size
                for sequence in range(first, first + size):
                    yield DueRecord(due_ns, partition, sequence, iteration)

    def counts(self) -> Iterator[list[int]]:
        """Number of records of each partition that are due in each iteration, in order."""
        counts = [[0] * self.partitions for _ in range(self.iterations)]
        for _, iteration, sizes in self.bursts():
            _add(counts[iteration], sizes)
        return iter(counts)


class DriftSchedule(BurstSchedule):
    """Bursts of a program that sends, and then sleeps for a second.

    first_ns: Time of the first burst.
    elapsed_ns: The time since the first iteration began; it is read when all records of a burst
        have been sent.
    times: Those of the bursts so far.
    """

    def __init__(
        self,
        rates: Sequence[Sequence[float]],
        iteration_s: float,
        record_bytes: int,
        first_ns: int,
        elapsed_ns: Callable[[], int],
        keys_seed: int | None,
    ) -> None:
        super().__init__(rates, iteration_s, record_bytes, self._loop, keys_seed)
        self._first_ns, self._elapsed_ns = first_ns, elapsed_ns
        self._counts = [[0] * self.partitions for _ in range(self.iterations)]
        self.times: list[int] = []

    def bursts(self) -> Iterator[tuple[int, int, list[int]]]:
        """As for any; counts those that have become due."""
        for due_ns, iteration, sizes in super().bursts():
            self.times.append(due_ns)
            _add(self._counts[iteration], sizes)
            yield due_ns, iteration, sizes

    def counts(self) -> Iterator[list[int]]:
        """The counts so far: lists that grow while `records` is read."""
        return iter(self._counts)

    def _loop(self, end_ns: int) -> Iterator[int]:
        due_ns = self._first_ns
        while due_ns <= end_ns:
            yield due_ns
            # A burst of no records is not waited for.
            due_ns = max(due_ns, self._elapsed_ns()) + SECOND_NS


def times_at(phase_ns: int, end_ns: int) -> Iterator[int]:
    """Times of bursts at one phase of each second; in a last, shorter one at its end."""
    for start_ns in range(0, end_ns, SECOND_NS):
        yield min(start_ns + phase_ns, end_ns)


def hashed_sizes(events: Floats, seed: int) -> Floats:
    """Number of records of each partition in each second, where each one's partition is drawn.

    events: ``float64[N, P]``, the partitions' shares of each second's records; the totals are
        integers up to rounding.
    seed: Of the stream.
    """
    return hashed_keys.spread(events, derive_seed(seed, "keys"))


def _hashed(stream: StreamRates, seed: int) -> Iterator[list[int]]:
    """Number of records of each partition in each second, drawn."""
    seconds = [
        [records * part / max(sum(integrals), 1) for part in integrals]
        for records, integrals in _totals(stream)
    ]
    if seconds:
        yield from hashed_sizes(np.array(seconds), seed).astype(np.int64).tolist()


def _totals(stream: StreamRates) -> Iterator[tuple[int, list[int]]]:
    """Records of each second, and the integral of each partition's rate over it."""
    # A partition's rate is rounded by less than a unit, which must not round a sum up.
    slack = stream.partitions * SECOND_NS
    for integrals in _by_second(stream):
        yield max(-((slack - sum(integrals)) // stream.size), 0), integrals


def _exact(stream: StreamRates) -> Iterator[list[int]]:
    """Number of records of each partition in each second, split in proportion."""
    credits = [0] * stream.partitions
    for records, integrals in _totals(stream):
        whole = sum(integrals)
        if whole:
            _add(credits, [records * part * _CREDIT // whole for part in integrals])
        sizes = _shares(credits, records)
        _add(credits, [-size * _CREDIT for size in sizes])
        yield sizes


def _by_second(stream: StreamRates) -> Iterator[list[int]]:
    """Integral of each partition's rate over each second; the last one may be shorter."""
    span_ns = stream.span_ns
    for start_ns in range(0, stream.end_ns, SECOND_NS):
        end_ns = min(start_ns + SECOND_NS, stream.end_ns)
        integrals = [0] * stream.partitions
        for iteration in range(start_ns // span_ns, (end_ns - 1) // span_ns + 1):
            from_ns = max(start_ns, iteration * span_ns)
            length_ns = min(end_ns, (iteration + 1) * span_ns) - from_ns
            _add(integrals, [rate * length_ns for rate in stream.units(iteration)])
        yield integrals


def _shares(credits: Sequence[int], records: int) -> list[int]:
    """Records for each partition, nearest to what they are still to get; ties to the first."""
    sizes = [max(credit // _CREDIT, 0) for credit in credits]
    order = sorted(range(len(sizes)), key=lambda p: sizes[p] * _CREDIT - credits[p])
    missing = records - sum(sizes)
    while missing > 0:
        for partition in order[:missing]:
            sizes[partition] += 1
        missing = records - sum(sizes)
    while missing < 0:
        for partition in [p for p in reversed(order) if sizes[p]][:-missing]:
            sizes[partition] -= 1
        missing = records - sum(sizes)
    return sizes


def _add(totals: list[int], parts: Iterable[int]) -> None:
    for place, part in enumerate(parts):
        totals[place] += part
