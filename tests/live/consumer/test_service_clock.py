"""Throughput of the virtual clock of service."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.consumer.service_clock import SAVED_NS, ServiceClock

pytestmark = pytest.mark.unit

RATES = st.sampled_from([256.0, 240_000.0, 2.4e6, 1e8 / 3])
ARRIVALS = st.lists(
    st.tuples(st.integers(0, 200_000_000), st.integers(256, 100_000)), min_size=1, max_size=60
)
"""Pause before a record is there, ns, and its size."""


def finished(rate: float, arrivals: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Arrival, size and completion of records, each completed at its arrival at the earliest."""
    clock, now, records = ServiceClock(rate), 10**18, []
    for pause, size in arrivals:
        now += pause
        records.append((now, size, max(clock.finish_ns(size, now), now)))
    return records


@given(RATES, ARRIVALS)
def test_no_span_sees_more_than_the_rate(rate: float, arrivals: list[tuple[int, int]]) -> None:
    records = finished(rate, arrivals)
    for first in range(len(records)):
        total = 0
        for last in range(first + 1, len(records)):
            total += records[last][1]
            span = records[last][2] - records[first][2]
            assert total <= rate * (span + SAVED_NS) / 1e9 + records[first + 1][1] + 1


@given(RATES, ARRIVALS)
def test_records_are_finished_in_order(rate: float, arrivals: list[tuple[int, int]]) -> None:
    records = finished(rate, arrivals)
    assert all(a[2] <= b[2] for a, b in pairwise(records))


@given(RATES, st.lists(st.integers(256, 100_000), min_size=1, max_size=50))
def test_a_full_log_is_read_at_the_rate(rate: float, sizes: list[int]) -> None:
    clock, start = ServiceClock(rate), 10**18
    end = [clock.finish_ns(size, start) for size in sizes][-1]
    exact = sum(sizes) * 1e9 / rate
    assert 0 <= end - start - math.floor(exact) <= len(sizes) + 1


@given(RATES, ARRIVALS, st.integers(0, SAVED_NS))
def test_pauses_of_the_loop_are_caught_up(
    rate: float, arrivals: list[tuple[int, int]], pause: int
) -> None:
    """A server that is late by up to 20 ms at each record finishes as if it had not been."""
    exact, late, now = ServiceClock(rate), ServiceClock(rate), 10**18
    late.finish_ns(1, now)
    exact.finish_ns(1, now)
    for _, size in arrivals:
        now = exact.finish_ns(size, now)
        assert late.finish_ns(size, now - exact.service_ns(size) + pause) == now


def test_idle_time_beyond_20_ms_is_lost() -> None:
    clock, second = ServiceClock(1000.0), 10**9
    assert clock.finish_ns(500, 0) == second // 2
    assert clock.finish_ns(1000, 5 * second) == 6 * second - SAVED_NS


@pytest.mark.parametrize("rate", [0.0, -1.0, math.inf, math.nan])
def test_rates_are_positive(rate: float) -> None:
    with pytest.raises(ValueError, match="rate must be finite and positive"):
        ServiceClock(rate)
