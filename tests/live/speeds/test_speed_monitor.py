"""Sizes become measurements: numbered, in bytes of values, once a period, until it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from live.protocol.messages import Measurement, decode, encode
from live.records.journal import Journal, entries
from live.speeds.log_overhead import Count
from live.speeds.speed_monitor import SpeedMonitor
from live.speeds.speed_windows import LogSize, SpeedWindows

pytestmark = pytest.mark.unit

Sizes = dict[int, LogSize]


class Readings:
    """Sizes and counts of records that a test gives, the last ones again and again."""

    def __init__(self, sizes: list[Sizes], records: list[Count | None]) -> None:
        self._sizes, self._records = sizes, records
        self.limits: list[float] = []

    def sizes(self, seconds: float) -> Sizes:
        self.limits.append(seconds)
        return self._sizes.pop(0) if len(self._sizes) > 1 else self._sizes[0]

    def records(self, seconds: float) -> Count | None:
        return self._records.pop(0) if len(self._records) > 1 else self._records[0]


class Source:
    """Something to read."""

    def __init__(self, read: object) -> None:
        self.read = read


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "monitor.jsonl", lambda: 5) as opened:
        yield opened


def monitor(readings: Readings, journal: Journal, record_bytes: int = 2000) -> SpeedMonitor:
    sizes, records = Source(readings.sizes), Source(readings.records)
    windows = SpeedWindows(30.0, 3.0)
    return SpeedMonitor(sizes, records, windows, 2, record_bytes, journal)  # type: ignore[arg-type]


def growing(seconds: int, rate: int = 103_000) -> list[Sizes]:
    """Two partitions, the second of half the rate."""
    return [
        {0: LogSize(at, 1, rate * at), 1: LogSize(at, 1, rate * at // 2)} for at in range(seconds)
    ]


def counts(seconds: int, late: float = 0.1) -> list[Count]:
    """Records of 2000 bytes in them, counted a bit later."""
    return [Count(at + late, round(75 * (at + late))) for at in range(seconds)]


def test_the_overhead_is_divided_out(journal: Journal, tmp_path: Path) -> None:
    records: list[Count | None] = [*counts(6)]
    made = [monitor(Readings(growing(6), records), journal)]
    measurements = [made[0].measure(1.0) for _ in range(6)]
    assert measurements[:3] == [None, None, None]
    assert [m.sequence for m in measurements[3:] if m] == [1, 2, 3]
    last = measurements[-1]
    assert last is not None
    assert last.speeds == pytest.approx({0: 100_000, 1: 50_000}, rel=0.005)
    assert last.span_s == 5
    assert decode(encode(last, 1)).message == last
    lines = list(entries(tmp_path / "monitor.jsonl"))
    assert [line["what"] for line in lines] == ["waiting"] * 3 + ["measured"] * 3
    assert lines[-1]["factor"] == pytest.approx(1.03, rel=0.005)
    assert lines[-1]["speeds"]["0"] == round(last.speeds[0], 3)


def test_sizes_of_logs_are_given_where_records_vary(journal: Journal) -> None:
    subject = monitor(Readings(growing(6), [None]), journal, record_bytes=0)
    measurements = [subject.measure(1.0) for _ in range(6)]
    assert measurements[-1] == Measurement(3, 5, {0: 103_000, 1: 51_500})


def test_the_last_known_overhead_is_used(journal: Journal) -> None:
    """Neither an incomplete reading nor a count that fails changes it."""
    sizes = growing(10)
    del sizes[7][1]
    records: list[Count | None] = [*counts(7), None]
    subject = monitor(Readings(sizes, records), journal)
    measurements = [subject.measure(1.0) for _ in range(10)]
    assert subject.factor == pytest.approx(1.03, rel=0.005)
    assert measurements[7] is not None
    assert measurements[7].speeds == pytest.approx({0: 100_000}, rel=0.005)
    assert measurements[9] is not None
    assert measurements[9].speeds == pytest.approx({0: 100_000, 1: 50_000}, rel=0.005)


def test_a_broker_that_is_away_gives_no_measurement(journal: Journal) -> None:
    subject = monitor(Readings([*growing(6), {}], [None]), journal)
    measurements = [subject.measure(1.0) for _ in range(8)]
    assert measurements[5] is not None
    assert measurements[6:] == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("slow", [0.0, 0.12])
def test_periods_that_are_missed_are_left_out(journal: Journal, slow: float) -> None:
    sizes = growing(100)

    class Slow(Readings):
        def sizes(self, seconds: float) -> Sizes:
            time.sleep(slow)
            return super().sizes(seconds)

    readings, stop = Slow(sizes, [None]), threading.Event()
    times: list[float] = []

    def send(measurement: Measurement) -> None:
        times.append(time.monotonic())
        if len(times) == 6:
            stop.set()

    monitor(readings, journal).run(0.05, stop, send)
    period = (times[-1] - times[0]) / 5
    assert period >= (0.05 if slow == 0 else 0.15) * 0.9
    assert len(readings.limits) == 9
    assert set(readings.limits) == {0.05}


def test_it_ends_at_once(journal: Journal) -> None:
    stop = threading.Event()
    subject = monitor(Readings([{}], [None]), journal)
    thread = threading.Thread(target=subject.run, args=(60.0, stop, lambda m: None))
    thread.start()
    time.sleep(0.05)
    stop.set()
    thread.join(5.0)
    assert not thread.is_alive()
