"""Turns the signals that ask this process to end, Ctrl-C and SIGTERM, into an exception.

The first one raises `Interrupted` in the main thread, and running work is concluded as the
exception propagates. Signals within a second after it are ignored, since `timeout` sends each
twice; a later one ends the process at once. Losing the terminal (SIGHUP) does not end the process.
Processes of live runs have `call` instead.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ENDING = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 128 + signal.SIGINT
"""Exit status after Ctrl-C, as shells have it."""

SAME_SECONDS = 1.0
"""For how long after the first signal another one counts as the same."""

AGAIN_AFTER = 0.05
"""Seconds after which a signal whose exception Python has dropped is sent again."""


class Interrupted(BaseException):
    """A signal has asked this process to end.

    It is not a `KeyboardInterrupt`, because Spark's gateway logs a trace of each of those.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted ({signal.Signals(number).name})")
        self.number = number
        self.status = 128 + number


class _Heard:
    """Signals received so far."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.waiting: int | None = None
        self.holds = 0

    def take(self, number: int, _: object) -> None:
        if self.first is None:
            self.first, self.waiting = time.monotonic(), number
            if not self.holds:
                self.tell(None)
        elif time.monotonic() - self.first > SAME_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def tell(self, note: str | None) -> None:
        number, self.waiting = self.waiting, None
        if number is not None:
            error = Interrupted(number)
            if note is not None:
                error.add_note(note)
            raise error


_heard = _Heard()


def call(stop: Callable[[], None]) -> None:
    """Have the signals call a function, in processes whose loop looks whether it is to end."""
    for number in ENDING:
        signal.signal(number, lambda *_: stop())


@contextmanager
def taken() -> Iterator[None]:
    """Turn signals into exceptions while the body runs; ignored signals stay ignored.

    An exception that Python drops, because it was raised in a finalizer, is raised again.
    """
    global _heard
    _heard = _Heard()
    chosen = [one for one in ENDING if signal.getsignal(one) is not signal.SIG_IGN]
    # Inherited by Spark's JVM, which would end with the terminal otherwise.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in chosen:
        signal.signal(number, _heard.take)
    reported = sys.unraisablehook

    def ignored(what: sys.UnraisableHookArgs) -> None:
        # It was raised where Python drops exceptions, as in a weak reference's callback. Here,
        # it would be dropped again.
        if isinstance(what.exc_value, Interrupted):
            _heard.first = None
            later = (os.getpid(), what.exc_value.number)
            threading.Timer(AGAIN_AFTER, os.kill, later).start()
        else:
            reported(what)

    sys.unraisablehook = ignored
    try:
        yield
    finally:
        sys.unraisablehook = reported
        # The interpreter is about to end: an exception would only be printed.
        for number in chosen:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def held(note: str | None = None) -> Iterator[None]:
    """Delay signals until the body has succeeded. note: State of the run, for the exception."""
    if threading.current_thread() is not threading.main_thread():  # no signal arrives here
        yield
        return
    heard = _heard
    heard.holds += 1
    try:
        yield
    finally:
        heard.holds -= 1
    if not heard.holds:
        heard.tell(note)
