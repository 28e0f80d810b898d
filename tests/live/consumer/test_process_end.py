"""How processes of consumers and members end."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from live.consumer import process_end
from live.consumer.client_errors import Fenced, Refused, Unusable
from pipeline.base.process import signals

pytestmark = pytest.mark.unit


class Working:
    """Works until it is asked to stop, or fails."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work, self.is_stopped = work, False

    def run(self) -> None:
        self.work()

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in signals.ENDING}
    yield
    gc.unfreeze()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (Fenced("by a newer one"), process_end.REPLACED, "member: fenced: by a newer one\n"),
        (Unusable("for good"), process_end.REPLACED, "member: unusable: for good\n"),
        (Refused("no such topic"), 1, "member: no such topic\n"),
        (OSError("disk"), 1, "member: disk\n"),
    ],
)
def test_an_error_is_a_line_and_a_status(
    error: Exception, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    assert process_end.run(lambda: Working(fail), "member") == status
    assert capsys.readouterr().err == words


def test_a_mistake_of_the_program_has_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def mistaken() -> Working:
        raise KeyError("slot")

    assert process_end.run(mistaken, "consumer") == 1
    said = capsys.readouterr().err
    assert said.startswith("consumer: Traceback")
    assert "KeyError: 'slot'" in said


def test_a_signal_asks_it_to_stop() -> None:
    own = Working(lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert process_end.run(lambda: own, "consumer") == 0
    assert own.is_stopped


def test_the_process_leaves_with_all_that_it_said() -> None:
    """Threads that hang, as a client's do whose broker is away, do not hold it."""
    program = (
        "import threading, time\n"
        "from live.consumer import process_end\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "print('done', end='')\n"
        "process_end.leave(7)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (7, "done")
