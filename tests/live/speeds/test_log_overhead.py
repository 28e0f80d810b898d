"""The factor of logs to values, from readings that are never of the same moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.speeds.log_overhead import Count, LogOverhead
from live.speeds.speed_windows import LogSize

pytestmark = pytest.mark.unit


@given(
    rate=st.integers(1000, 10**6),
    record_bytes=st.integers(256, 100_000),
    head=st.integers(0, 120),
    late=st.lists(st.floats(0.0, 0.9), min_size=4, max_size=20),
)
def test_readings_at_different_times(
    rate: int, record_bytes: int, head: int, late: list[float]
) -> None:
    """Records come steadily, and are counted some time after the sizes."""
    overhead = LogOverhead(record_bytes)
    for at, delay in enumerate(late, 1):
        size = rate * at * (record_bytes + head)
        logs = [LogSize(at, 1, size // 4), LogSize(at, 2, size - size // 4)]
        overhead.add(logs, Count(at + delay, round(rate * (at + delay))))
    assert overhead.factor == pytest.approx(1 + head / record_bytes, rel=0.002)


def after(sizes: list[LogSize], *counts: Count) -> float:
    """Factor after a first count and others, each with the same sizes."""
    overhead = LogOverhead(2000)
    for count in counts:
        overhead.add(sizes, count)
    return overhead.factor


ENOUGH = [LogSize(5.0, 1, 2_060_000)]


def test_it_is_known_from_the_second_reading_on() -> None:
    assert after(ENOUGH, Count(5.0, 1000)) == 1.0
    assert after(ENOUGH, Count(4.0, 1000), Count(6.0, 1000)) == pytest.approx(1.03)


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ([], [Count(4.0, 1000), Count(6.0, 1000)]),
        ([LogSize(5.0, 1, 0)], [Count(4.0, 0), Count(6.0, 0)]),
        ([LogSize(5.0, 1, 150_000)], [Count(4.0, 50), Count(6.0, 50)]),
        # Of another time, or of no time at all.
        (ENOUGH, [Count(5.1, 1000), Count(6.0, 1000)]),
        (ENOUGH, [Count(4.0, 1000), Count(4.9, 1000)]),
        (ENOUGH, [Count(5.0, 1000), Count(5.0, 1000)]),
        # Retention has deleted records between the two readings.
        (ENOUGH, [Count(4.0, 2000), Count(6.0, 2000)]),
        (ENOUGH, [Count(4.0, 400), Count(6.0, 400)]),
        (ENOUGH, [Count(4.0, -5000), Count(6.0, -5000)]),
    ],
)
def test_what_does_not_fit_changes_nothing(sizes: list[LogSize], counts: list[Count]) -> None:
    assert after(sizes, *counts) == 1.0


def test_it_is_never_below_one() -> None:
    assert after([LogSize(5.0, 1, 1_990_000)], Count(4.0, 1000), Count(6.0, 1000)) == 1.0
