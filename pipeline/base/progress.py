"""Progress of steps, in a terminal or a log."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TextIO

from pipeline.base.text.durations import SPACE, duration
from pipeline.base.text.printable import printable

REFRESH_SECONDS = 1.0
LOG_EVERY_SECONDS = 15.0

_NAME, _STATE = 34, 36
"""Columns of a step's name and of how far it is."""


class Work(NamedTuple):
    """Progress of a step, as far as it is known."""

    part: int
    """Number of the part of the step that runs; the others are done, or not known yet."""
    done: int
    total: int
    """`done`, `total`: tasks of this part."""


Look = Callable[[], Work | None]

_SHOWN: list[Progress] = []
"""Progress displays in use, the innermost last."""


def note(text: str) -> None:
    """Print a note about the running step, wherever its progress is shown."""
    if _SHOWN:
        _SHOWN[-1].say(text)


class Progress:
    """Lines such as ``[ 4/16] run_algorithms   7/18 tasks, 21/min, 31 s left   24.0 s``.

    In a terminal the running step's line is rewritten in place; elsewhere a line is written for
    the end of each step, and one every 15 s for a step that is still running.

    total: Number of steps, where it is known beforehand.
    stream: Where to write. None turns off all output, as does the first line that cannot be
        written.
    """

    def __init__(self, total: int | None = None, stream: TextIO | None = sys.stdout) -> None:
        self.total = total
        self._stream = stream
        self._ended: dict[str, int] = {}
        self._lock = threading.Lock()
        self._live = stream is not None and stream.isatty()

    @contextmanager
    def step(self, name: str, look: Look | None = None, beside: bool = False) -> Iterator[None]:
        """Show a step while the body runs.

        look: Returns the progress, None while it is not known.
        beside: Whether another step is shown at the same time: then this one is shown when it ends.
        """
        started = time.monotonic()
        stop = threading.Event()
        watcher = threading.Thread(
            target=self._watch, args=(name, look, started, stop), daemon=True
        )
        if not beside:
            watcher.start()
        outcome = "failed"
        _SHOWN.append(self)
        try:
            yield
            outcome = "done"
        finally:
            _SHOWN.remove(self)
            stop.set()
            if not beside:
                watcher.join()
            with self._lock:
                # Steps count in the order in which they end, and once even if retried.
                self._ended.setdefault(name, len(self._ended) + 1)
                self._line(self._text(name, outcome, started), final=True)

    def say(self, text: str) -> None:
        """Write separate lines."""
        self._line("\n".join(map(printable, text.split("\n"))), final=True)

    def _watch(
        self,
        name: str,
        look: Look | None,
        started: float,
        stop: threading.Event,
    ) -> None:
        every = REFRESH_SECONDS if self._live else LOG_EVERY_SECONDS
        speed = _Speed()
        if self._live:
            self._line(self._text(name, "", started), final=False)
        reported_at = time.monotonic()
        while not stop.wait(REFRESH_SECONDS):
            state = speed.of(look(), time.monotonic()) if look is not None else ""
            if time.monotonic() - reported_at >= every:
                reported_at = time.monotonic()
                self._line(self._text(name, state, started), final=not self._live)

    def _text(self, name: str, state: str, started: float) -> str:
        width = len(str(self.total or 99))
        count = self._ended.get(name, len(self._ended) + 1)
        place = f"[{count:>{width}}/{self.total}]" if self.total else f"[{count:>2}]"
        seconds = f"{time.monotonic() - started:6.1f} s"
        return _one_line(place, name, state, seconds, self._columns())

    def _columns(self) -> int:
        """Columns of the terminal; 0 for no limit."""
        if not self._live or self._stream is None:
            return 0
        try:
            return os.get_terminal_size(self._stream.fileno()).columns
        except (OSError, ValueError):
            return 0

    def _line(self, text: str, final: bool) -> None:
        if self._stream is None:
            return
        before, after = ("\r\x1b[2K", "\n" if final else "") if self._live else ("", "\n")
        try:
            self._stream.write(f"{before}{text.rstrip()}{after}")
            self._stream.flush()
        except (OSError, ValueError):
            # The stream is closed or its reader is gone: the run continues without it.
            self._stream = None


def _one_line(place: str, name: str, state: str, seconds: str, columns: int) -> str:
    """A line that leaves the last column free: only a line that does not wrap can be rewritten.

    In a narrow terminal blanks go first, those before the seconds before those after the name, and
    then the end of the name.
    """
    if columns == 0:
        return f"{place} {name:<{_NAME}} {state:<{_STATE}} {seconds}"
    room = columns - 1 - len(f"{place}   {seconds}")
    for_state = max(len(state), min(_STATE, room - max(_NAME, len(name))))
    for_name = max(min(max(_NAME, len(name)), room - for_state), 0)
    line = f"{place} {name[:for_name]:<{for_name}} {state:<{for_state}} {seconds}"
    return line[: columns - 1]


class _Speed:
    """Tasks per minute of the running part of a step, since it was first seen."""

    def __init__(self) -> None:
        self._part: int | None = None
        self._since, self._before = 0.0, 0

    def of(self, work: Work | None, now: float) -> str:
        """Progress, speed and remaining time as text."""
        if work is None:
            return ""
        if work.part != self._part:
            self._part, self._since, self._before = work.part, now, work.done
        text = f"{work.done}/{work.total} tasks"
        gained, seconds = work.done - self._before, now - self._since
        if gained <= 0 or seconds <= 0:
            return text
        left = (work.total - work.done) * seconds / gained
        return f"{text}, {60 * gained / seconds:.0f}/min, {_duration(left)} left"


def _duration(seconds: float) -> str:
    """The remaining time; logs keep its spaces plain, so that they can be searched."""
    return f"{seconds:.0f} s" if seconds < 60 else duration(seconds).replace(SPACE, " ")
