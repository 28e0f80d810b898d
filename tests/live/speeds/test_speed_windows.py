"""Speeds are those of the logs, never negative, and mix nothing that does not belong together."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.speeds.speed_windows import LogSize, Speed, SpeedWindows

pytestmark = pytest.mark.unit

STEPS = st.floats(0.2, 5.0)
RATES = st.integers(0, 10_000_000)
WINDOW_S = 30.0


def fed(windows: SpeedWindows, sizes: list[LogSize], partition: int = 0) -> list[Speed | None]:
    """Speeds after each of the sizes of one partition."""
    return [windows.add({partition: size}).get(partition) for size in sizes]


def growing(rate: float, until: float, step: float = 1.0, leader: int = 1) -> list[LogSize]:
    """Sizes of a log that grows steadily."""
    times = [n * step for n in range(int(until / step) + 1)]
    return [LogSize(at, leader, round(rate * at)) for at in times]


def test_there_is_no_speed_before_three_seconds() -> None:
    speeds = fed(SpeedWindows(WINDOW_S), growing(1000, 5))
    assert speeds == [None, None, None, (1000, 3), (1000, 4), (1000, 5)]


@given(rate=RATES, steps=st.lists(STEPS, min_size=1, max_size=40))
def test_a_steady_log_has_its_rate(rate: int, steps: list[float]) -> None:
    sizes = [LogSize(at, 1, round(rate * at)) for at in accumulate([7.0, *steps])]
    for size, speed in zip(sizes, fed(SpeedWindows(WINDOW_S), sizes), strict=True):
        if size.at_s - 7.0 < 3.0:
            assert speed is None
        elif speed is not None:
            assert speed.rate == pytest.approx(rate, abs=1 / speed.span_s)
            assert 3.0 <= speed.span_s <= min(30.0, size.at_s - 7.0)


@given(before=RATES, after=RATES, window=st.integers(3, 30))
def test_a_step_is_complete_after_one_window(before: int, after: int, window: int) -> None:
    """Until then the speed moves from the old rate to the new one, and never back."""
    rates = [before] * 40 + [after] * 40
    sizes = [LogSize(at, 1, size) for at, size in enumerate(accumulate(rates, initial=0))]
    speeds = fed(SpeedWindows(window), sizes)
    assert speeds[40] == (before, window)
    assert speeds[40 + window] == (after, window)
    rates_between = [speed.rate for speed in speeds[40 : 40 + window + 1] if speed is not None]
    moves = [b - a for a, b in pairwise(rates_between)]
    sign = 1 if after >= before else -1
    assert all(sign * move >= -1e-6 for move in moves)


@given(first=st.integers(5, 60), lost=st.integers(1, 10**9), rate=RATES, later=RATES)
def test_a_log_that_shrank_begins_a_new_window(
    first: int, lost: int, rate: int, later: int
) -> None:
    windows = SpeedWindows(WINDOW_S)
    last = fed(windows, growing(rate + lost, first))[-1]
    assert last is not None
    left = (rate + lost) * first - lost
    after = [LogSize(first + 1 + n, 1, left + later * n) for n in range(8)]
    assert fed(windows, after) == [None, None, None, *[(later, n) for n in range(3, 8)]]


@given(first=st.integers(5, 60), jump=st.integers(-(10**6), 10**6), rate=RATES)
def test_a_changed_leader_begins_a_new_window(first: int, jump: int, rate: int) -> None:
    """Replicas differ in size, since their segments are deleted at different times."""
    windows = SpeedWindows(WINDOW_S)
    fed(windows, growing(rate, first))
    base = max(rate * first + jump, 0)
    after = [LogSize(first + 1 + n, 2, base + 50 * n) for n in range(5)]
    assert fed(windows, after) == [None, None, None, (50, 3), (50, 4)]


@given(
    st.lists(
        st.tuples(
            STEPS,
            st.dictionaries(st.integers(0, 3), st.tuples(st.integers(1, 3), st.integers(0, 10**9))),
        ),
        max_size=60,
    )
)
def test_partitions_are_measured_alone(
    readings: list[tuple[float, dict[int, tuple[int, int]]]],
) -> None:
    """Whatever happens to the others, and to brokers; and no speed is negative."""
    together, alone = (
        SpeedWindows(WINDOW_S),
        {partition: SpeedWindows(WINDOW_S) for partition in range(4)},
    )
    times = accumulate(step for step, _ in readings)
    for at, (_, logs) in zip(times, readings, strict=True):
        sizes = {number: LogSize(at, *log) for number, log in logs.items()}
        speeds = together.add(sizes)
        expected: dict[int, Speed] = {}
        for number, size in sizes.items():
            expected |= alone[number].add({number: size})
        assert speeds == expected
        assert speeds.keys() <= sizes.keys()
        assert all(speed.rate >= 0 and 3 <= speed.span_s <= 30 for speed in speeds.values())


def test_a_new_partition_waits_alone() -> None:
    windows = SpeedWindows(WINDOW_S)
    fed(windows, growing(100, 10))
    for at in range(11, 15):
        speeds = windows.add({0: LogSize(at, 1, 100 * at), 1: LogSize(at, 1, 7 * at)})
        assert speeds[0].rate == 100
        assert speeds.get(1) == (None if at < 14 else (7, 3))


def test_a_partition_that_is_away_keeps_its_window() -> None:
    """Its mean includes the time in which nothing was read, as the log does."""
    windows = SpeedWindows(WINDOW_S)
    fed(windows, growing(100, 10))
    assert windows.add({}) == {}
    assert windows.add({0: LogSize(20, 1, 1500)}) == {0: (75, 20)}
    assert windows.add({0: LogSize(60, 1, 3000)}) == {}
    assert windows.add({0: LogSize(63, 1, 3300)}) == {0: (100, 3)}


def test_a_clock_that_stands_still_changes_nothing() -> None:
    windows = SpeedWindows(WINDOW_S)
    fed(windows, growing(100, 10))
    assert windows.add({0: LogSize(10, 1, 5000)}) == {}
    assert windows.add({0: LogSize(9, 2, 0)}) == {}
    assert windows.add({0: LogSize(11, 1, 1100)}) == {0: (100, 11)}


@pytest.mark.parametrize(("window", "least"), [(2.0, 3.0), (30.0, 0.0), (30.0, -1.0)])
def test_bounds(window: float, least: float) -> None:
    with pytest.raises(ValueError, match="`least_s` must be in"):
        SpeedWindows(window, least)
