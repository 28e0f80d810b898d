"""Calls outside the main thread: they end in time, or are abandoned."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from pipeline.base.process.abandonable_call import Aside, OutOfTime

pytestmark = pytest.mark.unit


def test_a_call_gives_its_result_or_its_error() -> None:
    aside = Aside(stop=pytest.fail, timeout=10)
    assert aside(lambda: threading.current_thread() is threading.main_thread()) is False
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 / 0)


def test_a_call_is_asked_to_end_when_the_time_is_over() -> None:
    ended = threading.Event()
    aside = Aside(stop=ended.set, timeout=0.05)
    with pytest.raises(OutOfTime):
        aside(lambda: ended.wait(10))
    assert ended.is_set()
    assert not aside.is_stuck


def test_no_call_begins_when_the_time_is_over() -> None:
    aside = Aside(stop=pytest.fail, timeout=0.01)
    time.sleep(0.02)
    with pytest.raises(OutOfTime):
        aside(pytest.fail)


def test_a_call_that_does_not_end_holds_up_nothing() -> None:
    program = (
        "import time\n"
        "from pipeline.base.process import abandonable_call\n"
        "abandonable_call.GRACE_SECONDS = 0.05\n"
        "calls = abandonable_call.Aside(lambda: None, timeout=0.05)\n"
        "try: calls(lambda: time.sleep(60))\n"
        "except abandonable_call.OutOfTime: print('out of time', calls.is_stuck)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("out of time True\n", "", 1)
