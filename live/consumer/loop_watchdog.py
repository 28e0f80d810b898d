"""Ends a process whose loop stands still."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

STANDS_STILL = 4
"""Exit status."""

TICKS = 20
"""Looks within the limit; after one less, the process ends: the limit is not exceeded."""


def end_process() -> None:
    """End the process at once; the default of `LoopWatchdog`."""
    print("consumer: its loop stands still", file=sys.stderr, flush=True)
    os._exit(STANDS_STILL)


class LoopWatchdog:
    """A thread that ends the process if `turn` is not called in time.

    It counts its own looks rather than time: while the whole process is stopped (SIGSTOP), the
    limit does not run, and the loop can find out on waking that it was fenced. It cannot run while
    a call holds Python's lock.

    limit_s: Longest time without a call, seconds; it ends at 90 to 95 % of it.
    """

    def __init__(self, limit_s: float, end: Callable[[], None] = end_process) -> None:
        self._tick_s = limit_s / TICKS
        self._end = end
        self._left = TICKS - 1
        self._is_off = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def turn(self) -> None:
        """The loop is at work."""
        self._left = TICKS - 1

    def stop(self) -> None:
        """Watch no longer."""
        self._is_off.set()

    def _watch(self) -> None:
        while not self._is_off.is_set():
            time.sleep(self._tick_s)
            self._left -= 1
            if self._left <= 0 and not self._is_off.is_set():
                self._end()
                return
