"""When records are due."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.records.send_schedule import DueRecord, SendSchedule

pytestmark = pytest.mark.unit

Rates = list[list[float]]

SECONDS = st.sampled_from([0.001, 0.3, 1.0, 2.5])
SIZES = st.sampled_from([256, 1000, 2000])


@st.composite
def streams(draw: st.DrawFn) -> Rates:
    """Rates in millionths of a byte per second, 0 and tiny ones among them."""
    partitions = draw(st.integers(1, 4))
    rate = st.one_of(st.just(0), st.integers(1, 10**6), st.integers(1, 60_000 * 10**6))
    row = st.lists(rate, min_size=partitions, max_size=partitions)
    return [[n / 10**6 for n in one] for one in draw(st.lists(row, max_size=5))]


def exact(number: float, units: int) -> Fraction:
    """The multiple of 1/units that a float stands for."""
    return Fraction(round(number * units), units)


def integrals(rates: Rates, seconds: float, partition: int) -> list[Fraction]:
    """Bytes of a partition up to the end of each iteration, exact; 0 first."""
    sums = [Fraction(0)]
    for row in rates:
        sums.append(sums[-1] + exact(row[partition], 10**6) * exact(seconds, 10**9))
    return sums


def instant(sums: list[Fraction], rates: Rates, seconds: float, partition: int, n: int) -> Fraction:
    """Nanoseconds at which a partition's integral reaches n bytes."""
    iteration = next(i for i in range(len(rates)) if sums[i + 1] >= n)
    start = iteration * exact(seconds, 10**9)
    return (start + (n - sums[iteration]) / exact(rates[iteration][partition], 10**6)) * 10**9


@given(streams(), SECONDS, SIZES)
def test_a_record_is_due_when_the_integral_reaches_its_number(
    rates: Rates, seconds: float, size: int
) -> None:
    records = list(SendSchedule(rates, seconds, size).records())
    for partition in range(len(rates[0]) if rates else 0):
        sums = integrals(rates, seconds, partition)
        own = [record for record in records if record.partition == partition]
        assert [record.sequence for record in own] == list(range(len(own)))
        for record in own[:50] + own[-50:]:
            reached = instant(sums, rates, seconds, partition, (record.sequence + 1) * size)
            assert record.due_ns == math.ceil(reached)


@given(streams(), SECONDS, SIZES)
def test_counts_are_the_floor_of_the_integral(rates: Rates, seconds: float, size: int) -> None:
    schedule = SendSchedule(rates, seconds, size)
    counts = list(schedule.counts())
    sent = Counter((record.iteration, record.partition) for record in schedule.records())
    for partition in range(schedule.partitions):
        sums = integrals(rates, seconds, partition)
        total = 0
        for i, row in enumerate(counts):
            assert row[partition] == sent[i, partition]
            total += row[partition]
            assert total == math.floor(sums[i + 1] / size)


@given(streams(), SECONDS, SIZES)
def test_records_come_in_due_order_within_their_iteration(
    rates: Rates, seconds: float, size: int
) -> None:
    span = round(seconds * 10**9)
    records = list(SendSchedule(rates, seconds, size).records())
    assert all((a.due_ns, a.partition) < (b.due_ns, b.partition) for a, b in pairwise(records))
    assert all(r.iteration * span < r.due_ns <= (r.iteration + 1) * span for r in records)


def test_records_of_a_steady_rate_are_evenly_spaced() -> None:
    records = list(SendSchedule([[3000.0], [3000.0]], 1.0, 1000).records())
    third = 10**9 / 3
    assert [r.due_ns for r in records] == [math.ceil(n * third) for n in range(1, 7)]


def test_what_an_iteration_leaves_over_counts_in_the_next() -> None:
    records = list(SendSchedule([[500.0], [0.0], [1000.0]], 1.0, 1000).records())
    assert records == [DueRecord(2_500_000_000, 0, 0, 2)]


def test_a_record_due_at_the_end_of_an_iteration_belongs_to_it() -> None:
    records = list(SendSchedule([[1000.0, 0.0], [0.0, 0.0]], 2.0, 2000).records())
    assert records == [DueRecord(2_000_000_000, 0, 0, 0)]


def test_records_due_at_once_are_ordered_by_partition() -> None:
    records = SendSchedule([[4.0, 4.0]], 1.0, 2).records()
    half = 500_000_000
    assert [(r.due_ns, r.partition) for r in records] == [
        (half, 0),
        (half, 1),
        (2 * half, 0),
        (2 * half, 1),
    ]


def test_no_error_builds_up_over_many_iterations() -> None:
    schedule = SendSchedule([[0.1]] * 30_000, 1.0, 300)
    assert [r.due_ns for r in schedule.records()] == [3000 * 10**9 * n for n in range(1, 11)]


def test_a_stream_without_iterations_has_no_records() -> None:
    assert list(SendSchedule([], 1.0, 1000).records()) == []
    assert list(SendSchedule([], 1.0, 1000).counts()) == []


@pytest.mark.parametrize(
    ("rates", "seconds", "size", "message"),
    [
        ([[1.0]], 0.0, 1, "iteration_s must be finite and positive"),
        ([[1.0]], math.inf, 1, "iteration_s must be finite and positive"),
        ([[1.0]], 1.0, 0, "record_bytes must be at least 1"),
        ([[1.0], [1.0, 2.0]], 1.0, 1, "1 in iteration 0, 2 in iteration 1"),
        ([[-1.0]], 1.0, 1, "rates must be finite and at least 0"),
        ([[math.nan]], 1.0, 1, "rates must be finite and at least 0"),
    ],
)
def test_wrong_streams_are_refused(rates: Rates, seconds: float, size: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SendSchedule(rates, seconds, size)
