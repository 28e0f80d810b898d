"""Calls in a separate thread, which the main thread can end."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

GRACE_SECONDS = 1.0
"""How long a call may take to end once it is asked to."""


class OutOfTime(Exception):
    """The time limit has passed."""


class Aside:
    """Makes calls into a library that handles neither Ctrl-C nor a timeout.

    A call that does not end when it is asked to is abandoned, and the process ends without it.

    stop: Asks the library to end a call.
    timeout: Seconds from now, for all calls and the time between them; None for no limit.
    is_stuck: Whether a call was abandoned: the library must not be used any more then.
    """

    def __init__(self, stop: Callable[[], None], timeout: float | None = None) -> None:
        self._stop = stop
        self._end = None if timeout is None else time.monotonic() + timeout
        self.is_stuck = False

    def __call__(self, work: Callable[[], T]) -> T:
        """Result of a call, or its exception; OutOfTime if the limit passes before."""
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise OutOfTime
        done: Future[T] = Future()
        Thread(target=_make, args=(work, done), daemon=True).start()
        try:
            wait([done], left)
            if not done.done():
                raise OutOfTime
        finally:
            if not done.done():
                self._give_up(done)
        return done.result()

    def _give_up(self, done: Future[T]) -> None:
        self.is_stuck = True
        # Python's shutdown would unload the library while the call still runs.
        atexit.register(_leave)
        self._stop()
        wait([done], GRACE_SECONDS)
        if done.done():
            self.is_stuck = False
            atexit.unregister(_leave)


def _make(work: Callable[[], T], done: Future[T]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:
        done.set_exception(error)


def _leave() -> None:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(1)
