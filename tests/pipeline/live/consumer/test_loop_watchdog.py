"""A loop that stands still is noticed; a process that is stopped is not."""

from __future__ import annotations

import threading
import time

import pytest

from pipeline.live.consumer.loop_watchdog import LoopWatchdog

pytestmark = pytest.mark.unit


def test_standing_still_ends_the_process() -> None:
    ended = threading.Event()
    watchdog = LoopWatchdog(0.2, ended.set)
    began = time.monotonic()
    watchdog.start()
    assert ended.wait(5)
    assert 0.2 <= time.monotonic() - began < 2


def test_turns_put_it_off() -> None:
    ended = threading.Event()
    watchdog = LoopWatchdog(1.0, ended.set)
    watchdog.start()
    for _ in range(30):
        time.sleep(0.05)
        watchdog.turn()
    assert not ended.is_set()
    watchdog.stop()


def test_it_can_be_called_off() -> None:
    ended = threading.Event()
    watchdog = LoopWatchdog(0.1, ended.set)
    watchdog.start()
    watchdog.stop()
    assert not ended.wait(0.4)
