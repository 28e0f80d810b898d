"""Output during a run."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import struct
import termios
import time
from collections.abc import Callable, Iterator

import pytest

from pipeline.base import progress
from pipeline.base.progress import Progress, Work

pytestmark = pytest.mark.unit


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come at once."""
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.01)
    monkeypatch.setattr(progress, "LOG_EVERY_SECONDS", 0.02)


def wait_until(is_over: Callable[[], bool]) -> None:
    """Wait, for 10 s at most: a busy machine takes its time."""
    end = time.monotonic() + 10.0
    while not is_over() and time.monotonic() < end:
        time.sleep(0.01)


def watched(works: Iterator[Work | None]) -> list[str]:
    """Lines of a step that reports these, one after the other."""
    out = io.StringIO()
    with Progress(total=3, stream=out).step("score", lambda: next(works, None)):
        wait_until(lambda: out.getvalue().count("\n") >= 4)
    return out.getvalue().splitlines()


@pytest.mark.usefixtures("quick")
def test_a_log_says_how_far_how_fast_and_how_long() -> None:
    lines = watched(Work(1, done, 100) for done in range(1, 100))
    assert any("/100 tasks, " in line and "/min, " in line and " s left" in line for line in lines)
    assert lines[-1].split()[:3] == ["[1/3]", "score", "done"]


@pytest.mark.usefixtures("quick")
def test_nothing_is_said_of_what_is_not_known() -> None:
    assert not any("task" in line for line in watched(iter([])))


def test_the_speed_is_that_of_the_part_at_work() -> None:
    """Tasks that were done when a part was first seen say nothing about its speed."""
    speed = progress._Speed()
    assert speed.of(Work(1, 10, 20), 0.0) == "10/20 tasks"
    assert speed.of(Work(1, 15, 20), 30.0) == "15/20 tasks, 10/min, 30 s left"
    assert speed.of(Work(2, 0, 8), 40.0) == "0/8 tasks"
    assert speed.of(Work(2, 2, 8), 100.0) == "2/8 tasks, 2/min, 3 min 00 s left"
    assert speed.of(Work(3, 0, 8), 100.0) == "0/8 tasks"
    assert speed.of(Work(3, 2, 8), 1_860.0) == "2/8 tasks, 0/min, 1 h 28 min left"
    assert speed.of(None, 101.0) == ""


def test_steps_count_in_the_order_in_which_they_end() -> None:
    out = io.StringIO()
    message = Progress(total=2, stream=out)
    with message.step("latency"), message.step("check", beside=True):
        pass
    first, second = out.getvalue().splitlines()
    assert first.split()[:3] == ["[1/2]", "check", "done"]
    assert second.split()[:3] == ["[2/2]", "latency", "done"]


@pytest.mark.parametrize("columns", [40, 60, 80, 88, 120])
@pytest.mark.usefixtures("quick")
def test_lines_that_are_rewritten_do_not_wrap(columns: int) -> None:
    """What wraps leaves a line behind each time that it is rewritten."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    looks: list[Work] = []

    def look() -> Work:
        looks.append(Work(1, len(looks), 9_999))
        return looks[-1]

    name = "simulate without events to survive"
    with os.fdopen(slave, "w") as stream:
        with Progress(total=16, stream=stream).step(name, look):
            wait_until(lambda: len(looks) >= 5)
        text = os.read(master, 2**16).decode()
    os.close(master)
    lines = [line.strip("\r\n") for line in text.split("\r\x1b[2K")[1:]]
    assert len(lines) > 2
    assert max(map(len, lines)) < columns
    assert all(line.startswith("[ 1/16] ") for line in lines)
    assert any("/9999 tasks" in line for line in lines)
    if columns >= 80:
        assert all("] simulate with" in line and line.endswith(" s") for line in lines)


@pytest.mark.parametrize("columns", [0, 100])
def test_a_wide_terminal_has_the_columns_of_a_log(columns: int) -> None:
    line = progress._one_line("[ 1/16]", "score", "7/18 tasks", "  24.0 s", columns)
    assert line == f"[ 1/16] {'score':<34} {'7/18 tasks':<36}   24.0 s"


class Broken(io.StringIO):
    """A stream that takes a line, then fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        if self.getvalue():
            raise self.error
        return super().write(text)


@pytest.mark.parametrize(
    "error",
    [
        BrokenPipeError(errno.EPIPE, "Broken pipe"),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EIO, "Input/output error"),
        ValueError("I/O operation on closed file."),
    ],
)
@pytest.mark.usefixtures("quick")
def test_steps_go_on_when_nobody_reads_any_more(error: Exception) -> None:
    out = Broken(error)
    message = Progress(total=3, stream=out)
    for name in ("score", "pareto", "report"):
        with message.step(name, lambda: Work(1, 1, 2)):
            time.sleep(0.05)
        message.say("a note")
    assert len(out.getvalue().splitlines()) == 1
