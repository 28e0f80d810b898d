"""Records that are due together, once per second."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.workloads.partition_splits import split
from live.records.burst_schedule import SECOND_NS, BurstSchedule, DriftSchedule, times_at
from live.records.send_schedule import DueRecord

pytestmark = pytest.mark.unit

Rates = list[list[float]]

SIZE = 500
PHASE_NS = 50_000_000


@st.composite
def streams(draw: st.DrawFn) -> Rates:
    """Rates in whole bytes per second, 0 among them."""
    partitions = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 20_000), min_size=partitions, max_size=partitions)
    return [list(map(float, one)) for one in draw(st.lists(row, max_size=6))]


def schedule(rates: Rates, seconds: float = 1.0, phase_ns: int = PHASE_NS) -> BurstSchedule:
    return BurstSchedule(rates, seconds, SIZE, partial(times_at, phase_ns), None)


def bytes_in(rates: Rates, seconds: Fraction, start: int) -> Fraction:
    """Bytes of all partitions in the second that starts then, exact."""
    whole = Fraction(0)
    for i, row in enumerate(rates):
        low, high = max(i * seconds, start), min((i + 1) * seconds, start + 1)
        whole += max(high - low, Fraction(0)) * int(sum(row))
    return whole


@given(streams(), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(5, 2), Fraction(4)]))
def test_a_second_has_as_many_records_as_its_bytes_fill_rounded_up(
    rates: Rates, seconds: Fraction
) -> None:
    sent = Counter(record.due_ns for record in schedule(rates, float(seconds)).records())
    end_ns = int(len(rates) * seconds * SECOND_NS)
    for start in range(math.ceil(len(rates) * seconds)):
        due_ns = min(start * SECOND_NS + PHASE_NS, end_ns)
        assert sent.pop(due_ns, 0) == math.ceil(bytes_in(rates, seconds, start) / SIZE)
    assert not sent


@given(streams(), st.sampled_from([0.5, 1.0, 2.5]), st.integers(1, SECOND_NS - 1))
def test_counts_are_those_of_the_records(rates: Rates, seconds: float, phase_ns: int) -> None:
    one = schedule(rates, seconds, phase_ns)
    records = list(one.records())
    sent = Counter((record.iteration, record.partition) for record in records)
    assert list(one.counts()) == [
        [sent[i, p] for p in range(one.partitions)] for i in range(one.iterations)
    ]
    span_ns = round(seconds * SECOND_NS)
    assert all(r.iteration * span_ns < r.due_ns <= (r.iteration + 1) * span_ns for r in records)
    for partition in range(one.partitions):
        own = [record.sequence for record in records if record.partition == partition]
        assert own == list(range(len(own)))


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6), st.lists(st.integers(0, 900)))
def test_partitions_get_their_shares_of_the_total(weights: list[float], totals: list[int]) -> None:
    rates = split(totals or [0], len(weights), "weights", weights) * SIZE
    got = [0] * len(weights)
    for _, _, sizes in schedule(rates.tolist()).bursts():
        got = [before + size for before, size in zip(got, sizes, strict=True)]
        fair = [sum(got) * weight / sum(weights) for weight in weights]
        assert all(abs(a - b) < len(weights) for a, b in zip(got, fair, strict=True))
    assert sum(got) == sum(totals)


def test_a_split_does_not_round_a_whole_total_up() -> None:
    totals = list(range(400))
    for partitions, how in ((5, "equal"), (9, "skew"), (7, "equal")):
        rates = (split(totals, partitions, how) * SIZE).tolist()
        assert [sum(sizes) for _, _, sizes in schedule(rates).bursts()] == totals


def test_what_rounding_withholds_comes_in_later_seconds() -> None:
    bursts = schedule([[SIZE / 3] * 3] * 4).bursts()
    assert [sizes for _, _, sizes in bursts] == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_the_first_burst_is_in_the_first_iteration() -> None:
    records = schedule([[500.0], [500.0]], 1.0, 1).records()
    assert list(records) == [DueRecord(1, 0, 0, 0), DueRecord(SECOND_NS + 1, 0, 1, 1)]


def test_a_last_second_that_ends_before_its_burst_has_it_at_the_end() -> None:
    (record,) = schedule([[500.0]], 0.5, 900_000_000).records()
    assert record.due_ns == 500_000_000


def test_a_drifting_loop_sleeps_a_second_after_its_work() -> None:
    now_ns = 0
    one = DriftSchedule([[1500.0]] * 4, 1.0, SIZE, PHASE_NS, lambda: now_ns, None)
    due: list[int] = []
    for record in one.records():
        # Sending a record takes 10 ms.
        now_ns = max(now_ns, record.due_ns) + 10_000_000
        due.append(record.due_ns)
    times = [PHASE_NS + n * (SECOND_NS + 30_000_000) for n in range(4)]
    assert one.times == times
    assert due == [time for time in times for _ in range(3)]
    assert list(one.counts()) == [[3]] * 4


def test_bursts_that_drift_past_the_end_are_not_sent() -> None:
    now_ns = 0
    one = DriftSchedule([[500.0]] * 3, 1.0, SIZE, PHASE_NS, lambda: now_ns, None)
    sent = 0
    for record in one.records():
        now_ns = record.due_ns + 600_000_000
        sent += 1
    assert (sent, one.times) == (2, [PHASE_NS, PHASE_NS + 1_600_000_000])
    assert list(one.counts()) == [[1], [1], [0]]


def test_a_drifting_loop_sleeps_in_seconds_without_records_too() -> None:
    one = DriftSchedule([[0.0], [0.0], [500.0]], 1.0, SIZE, PHASE_NS, lambda: 0, None)
    assert list(one.records()) == [DueRecord(2 * SECOND_NS + PHASE_NS, 0, 0, 2)]


def test_drift_is_repeated_from_the_times_that_it_had() -> None:
    elapsed: Iterator[int] = iter(range(0, 10 * SECOND_NS, 1_100_000_000))
    rates = [[700.0, 300.0]] * 5
    drifted = DriftSchedule(rates, 1.0, SIZE, PHASE_NS, lambda: next(elapsed), None)
    records = list(drifted.records())
    again = BurstSchedule(rates, 1.0, SIZE, lambda _: drifted.times, None)
    assert list(again.records()) == records
    assert len(records) == 2 * len(drifted.times) > 0


@given(streams(), st.sampled_from([0.5, 1.0, 2.5]), st.integers(0, 5))
def test_hashed_keys_change_partitions_and_nothing_else(
    rates: Rates, seconds: float, seed: int
) -> None:
    exact = list(schedule(rates, seconds).bursts())
    hashed = BurstSchedule(rates, seconds, SIZE, partial(times_at, PHASE_NS), seed)
    bursts = list(hashed.bursts())
    assert [(due, iteration, sum(sizes)) for due, iteration, sizes in bursts] == [
        (due, iteration, sum(sizes)) for due, iteration, sizes in exact
    ]
    for partition in range(hashed.partitions):
        own = [r.sequence for r in hashed.records() if r.partition == partition]
        assert own == list(range(len(own)))
        if not any(row[partition] for row in rates):
            assert own == []


def test_hashed_keys_are_spread_by_the_partitions_shares() -> None:
    """Over 500 seconds of 100 records, counts are binomial: within 5 standard deviations."""
    shares = (0.5, 0.3, 0.2)
    rates = [[share * 100 * SIZE for share in shares]] * 500
    hashed = BurstSchedule(rates, 1.0, SIZE, partial(times_at, PHASE_NS), 1)
    sizes = [sizes for _, _, sizes in hashed.bursts()]
    for partition, share in enumerate(shares):
        own = [row[partition] for row in sizes]
        deviation = math.sqrt(100 * share * (1 - share))
        assert abs(sum(own) / 500 - 100 * share) < 5 * deviation / math.sqrt(500)
        # Exact shares would not vary at all.
        spread = math.sqrt(sum((one - 100 * share) ** 2 for one in own) / 500)
        assert abs(spread / deviation - 1) < 5 / math.sqrt(2 * 500)
