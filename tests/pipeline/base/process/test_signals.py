"""Signals that ask this process to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from pipeline.base.process import signals

pytestmark = pytest.mark.unit


def send(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", signals.ENDING)
def test_a_signal_is_an_exception(number: int) -> None:
    with signals.taken(), pytest.raises(signals.Interrupted) as raised:
        send(number)
    assert raised.value.status == 128 + number


@pytest.mark.parametrize("number", signals.ENDING)
def test_a_signal_calls_what_a_process_says(number: int) -> None:
    before = {each: signal.getsignal(each) for each in signals.ENDING}
    calls: list[int] = []
    try:
        signals.call(lambda: calls.append(number))
        send(number)
        send(number)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert calls == [number, number]


def test_a_signal_is_not_lost_where_python_drops_exceptions() -> None:
    class Dropped:
        def __del__(self) -> None:
            send(signal.SIGINT)

    def dropped() -> None:
        Dropped()
        time.sleep(1.0)

    with signals.taken(), pytest.raises(signals.Interrupted) as raised:
        dropped()
    assert raised.value.status == signals.INTERRUPTED


def test_the_same_signal_sent_twice_counts_once() -> None:
    with signals.taken():
        with pytest.raises(signals.Interrupted):
            send(signal.SIGTERM)
        send(signal.SIGTERM)
        send(signal.SIGINT)


def test_a_lost_terminal_ends_nothing() -> None:
    before = signal.getsignal(signal.SIGHUP)
    try:
        with signals.taken():
            send(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_waits_for_what_must_not_be_cut_short() -> None:
    done = []

    def work() -> None:
        with signals.held("all is well"), signals.held("inner"):
            send(signal.SIGTERM)
            done.append(1)
        done.append(2)

    with signals.taken(), pytest.raises(signals.Interrupted) as raised:
        work()
    assert done == [1]
    assert raised.value.__notes__ == ["all is well"]


def test_what_fails_meanwhile_counts_more_than_a_signal_that_waits() -> None:
    def fail() -> None:
        with signals.held():
            send(signal.SIGTERM)
            raise OSError("full")

    with signals.taken(), pytest.raises(OSError, match="full"):
        fail()


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals.taken():
            send(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


SLOW = """
import time
from pipeline.base.process import signals
with signals.taken():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("ending", flush=True)
        time.sleep(60)
"""


@pytest.mark.slow
def test_a_second_signal_ends_the_process_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True) as slow:
        assert slow.stdout is not None
        assert slow.stdout.readline() == "ready\n"
        slow.terminate()
        assert slow.stdout.readline() == "ending\n"
        time.sleep(signals.SAME_SECONDS + 0.1)
        slow.terminate()
        assert slow.wait(10) == -signal.SIGTERM
