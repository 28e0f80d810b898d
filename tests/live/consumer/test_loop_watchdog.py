"""A loop that stands still is noticed; a process that is stopped is not."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

from live.consumer import loop_watchdog
from live.consumer.loop_watchdog import TICKS, LoopWatchdog

pytestmark = pytest.mark.unit


def test_standing_still_ends_the_process() -> None:
    ended = threading.Event()
    watchdog = LoopWatchdog(0.2, ended.set)
    began = time.monotonic()
    watchdog.start()
    assert ended.wait(5)
    assert 0.2 * (TICKS - 1) / TICKS <= time.monotonic() - began < 2


@pytest.mark.parametrize("last", [0, 3])
def test_it_ends_within_the_limit(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    ends: list[float] = []
    watchdog = LoopWatchdog(10.0, lambda: ends.append(sum(slept[last:])))

    def sleep(seconds: float) -> None:
        assert len(slept) < 100
        # A turn just after a look lasts longest.
        if len(slept) == last:
            watchdog.turn()
        slept.append(seconds)

    monkeypatch.setattr(loop_watchdog, "time", SimpleNamespace(sleep=sleep))
    watchdog._watch()
    assert ends == [pytest.approx(9.5)]


@pytest.mark.slow
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
