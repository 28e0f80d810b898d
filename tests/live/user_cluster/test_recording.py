"""A recording: rates from sizes, rows from rates, a file that is a valid trace at any time."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from live.speeds.speed_windows import LogSize
from live.user_cluster import rate_recorder, trace_file
from live.user_cluster.log_growth import LogGrowth
from live.user_cluster.rate_recorder import RateRecorder
from live.user_cluster.row_rates import HOLD_S, WAIT_ROWS, RowRates
from live.user_cluster.trace_file import TraceFile
from pipeline.base.errors import InputError, StageError
from pipeline.cli.live import recording_text
from pipeline.inputs import traces

pytestmark = pytest.mark.unit


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now + 1_700_000_000.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(rate_recorder, "time", made)
    return made


class Logs:
    """Sizes that a function of time gives; what takes long takes its time."""

    def __init__(self, clock: Clock, size: Callable[[float], Iterable[float]]) -> None:
        self._clock, self._size = clock, size
        self.delays: list[float] = []

    def read(self, seconds: float) -> dict[int, LogSize]:
        delay = self.delays.pop(0) if self.delays else 0.0
        if delay > seconds:
            self._clock.now += seconds
            return {}
        self._clock.now += delay
        sizes = self._size(self._clock.now - 100.0)
        return {p: LogSize(self._clock.now, 1, int(size)) for p, size in enumerate(sizes)}


def test_growth_of_logs() -> None:
    growth = LogGrowth()
    assert growth.add({0: LogSize(10.0, 1, 100), 1: LogSize(10.0, 1, 0)}) == {}
    assert growth.add({0: LogSize(12.0, 1, 300)}) == {0: 100.0}
    # Nothing is lost where an answer was missing.
    assert growth.add({0: LogSize(13.0, 1, 300), 1: LogSize(14.0, 1, 400)}) == {0: 0.0, 1: 100.0}
    # Retention, then a new leader.
    assert growth.add({0: LogSize(14.0, 1, 200), 1: LogSize(15.0, 2, 500)}) == {}
    assert growth.add({0: LogSize(15.0, 1, 250), 1: LogSize(16.0, 2, 501)}) == {0: 50.0, 1: 1.0}
    # The same answer again.
    assert growth.add({0: LogSize(15.0, 1, 250)}) == {}


def test_the_first_row_waits_for_all_partitions() -> None:
    rows = RowRates(2, 1.0)
    assert rows.row({0: 5.0}) is None
    assert rows.row({}) is None
    assert rows.row({1: 6.0}) == (5.0, 6.0)


def test_the_first_row_does_not_wait_for_ever() -> None:
    rows = RowRates(2, 1.0)
    for _ in range(WAIT_ROWS):
        assert rows.row({0: 5.0}) is None
    assert rows.row({0: 5.0}) == (5.0, None)


def test_a_rate_holds_for_a_while() -> None:
    rows = RowRates(2, 10.0)
    rows.row({0: 5.0, 1: 7.0})
    for _ in range(int(HOLD_S / 10)):
        assert rows.row({0: 6.0}) == (6.0, 7.0)
    assert rows.row({0: 6.0}) == (6.0, None)
    assert rows.row({1: 1.0}) == (6.0, 1.0)


def test_a_file_is_a_trace_after_each_row(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    with TraceFile(path, 3) as file:
        for n in range(3):
            file.write(1_700_000_000.25 + n, [1234.5678, 0.0, None])
            trace = traces.load(path)
            assert (trace.form, trace.partitions) == ("wide CSV", ("0", "1", "2"))
            assert trace.rates.shape == (n + 1, 3)
    assert path.read_text().splitlines()[:2] == [
        "timestamp,0,1,2",
        "2023-11-14T22:13:20.250Z,1234.568,0,",
    ]


def test_a_file_without_rows_is_removed(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "rates.csv", 1):
        assert (tmp_path / "rates.csv").exists()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        TraceFile(path, 1)
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(InputError, match="exists already"):
        trace_file.check_new(tmp_path / "link")
    with pytest.raises(InputError, match="there is no folder"):
        TraceFile(tmp_path / "none" / "rates.csv", 1)
    with pytest.raises(InputError, match="choose another file for -o"):
        TraceFile(tmp_path / ("x" * 300), 1)
    assert path.read_text() == "mine"


def test_a_row_that_does_not_fit_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rates.csv"
    write = os.write

    def cut_short(number: int, data: bytes) -> int:
        return write(number, data[:5])

    def full(number: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with TraceFile(path, 1) as file:
        file.write(0.0, [1.0])
        for fails, why in ((cut_short, "1 rows are kept"), (full, "no space left")):
            with monkeypatch.context() as patch:
                patch.setattr(os, "write", fails)
                with pytest.raises(StageError, match=why):
                    file.write(1.0, [2.0])
        file.write(2.0, [3.0])
    assert traces.load(path).rates.tolist() == [[1.0], [3.0]]


def record(tmp_path: Path, logs: Logs, seconds: float, partitions: int = 2) -> RateRecorder:
    with TraceFile(tmp_path / "rates.csv", partitions) as file:
        recorder = RateRecorder(logs, file, partitions, 1.0)
        recorder.run(seconds, lambda: None)
    return recorder


def test_rates_times_time_are_the_bytes(tmp_path: Path, clock: Clock) -> None:
    logs = Logs(clock, lambda t: (1000 * t, 50 * t * t))
    recorder = record(tmp_path, logs, 4.0)
    trace = traces.load(tmp_path / "rates.csv")
    assert trace.rates.tolist() == [[1000, 50], [1000, 150], [1000, 250], [1000, 350]]
    assert recorder.total == pytest.approx(4 * 1000 + 50 * 16)
    assert (recorder.rows, recorder.covered_s, recorder.missed) == (4, 4.0, 0)
    lines = (tmp_path / "rates.csv").read_text().splitlines()
    # A row is of the time from its timestamp on.
    assert lines[1].startswith("2023-11-14T22:15:00.000Z,")
    assert lines[4].startswith("2023-11-14T22:15:03.000Z,")


def test_brokers_that_do_not_answer(tmp_path: Path, clock: Clock) -> None:
    logs = Logs(clock, lambda t: (1000 * t, 0))
    logs.delays = [0, 0, 9, 9, 0.4, 0]
    recorder = record(tmp_path, logs, 6.0)
    assert recorder.missed == 2
    lines = (tmp_path / "rates.csv").read_text().splitlines()[1:]
    assert [line[17:24] for line in lines] == ["00.000Z", "01.000Z", "04.000Z", "05.000Z"]
    bytes_read = [float(line.split(",")[1]) for line in lines]
    # The row at 1 s is of 3.4 s; in the next one 0.4 s are missing.
    assert bytes_read == pytest.approx([1000.0] * 4)


def test_slow_answers_do_not_pile_up(tmp_path: Path, clock: Clock) -> None:
    logs = Logs(clock, lambda t: (1000 * t, 0))
    logs.delays = [0.9] * 20
    recorder = record(tmp_path, logs, 5.0)
    assert recorder.passed_s < 7
    assert 2 <= recorder.rows <= 5


def test_a_topic_that_grows(tmp_path: Path, clock: Clock) -> None:
    logs = Logs(clock, lambda t: [10 * t] * (2 if t < 2 else 4))
    recorder = record(tmp_path, logs, 4.0)
    assert recorder.grown == 2
    assert traces.load(tmp_path / "rates.csv").rates.shape == (4, 2)
    said = [line.replace("\u00a0", " ") for line in recording_text.outcome(recorder, Path("r.csv"))]
    assert said == [
        "Recorded 4 rows of 2 partitions (4.0 s, 20.0 B/s in all) in r.csv",
        "Note: the topic has 2 new partitions, which the trace lacks; record again.",
        "Next: groupscale import r.csv",
    ]


def test_what_is_said_on_the_way(tmp_path: Path, clock: Clock) -> None:
    logs = Logs(clock, lambda t: (0, 0))
    logs.delays = [0, 0, 5, 5]
    recorder = record(tmp_path, logs, 3.0)
    said = recording_text.state("t", recorder).replace("\u00a0", " ")
    assert said == "t: 2 partitions, 1 row, 0 B/s, 4.0 s; no answer for 2 periods"
    assert "Note: nothing was written to the topic meanwhile." in recording_text.outcome(
        recorder, Path("r.csv")
    )
    assert "no broker has answered" in recording_text.nothing("t", recorder)
