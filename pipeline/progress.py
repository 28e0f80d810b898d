"""Says which step runs and how far it is, in a terminal and in a log alike."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

REFRESH_SECONDS = 1.0
LOG_EVERY_SECONDS = 15.0


class Progress:
    """Lines such as ``[ 4/16] run_algorithms   63 %  12 s``.

    In a terminal the running step's line is rewritten in place; elsewhere one line marks
    each end, and one every quarter of a minute what is still under way.

    Parameters
    ----------
    total
        Number of steps, where it is known beforehand.
    stream
        Where to write; None silences everything.
    """

    def __init__(self, total: int | None = None, stream: TextIO | None = sys.stdout) -> None:
        self.total = total
        self._stream = stream
        self._ended: dict[str, int] = {}
        self._lock = threading.Lock()
        self._live = stream is not None and stream.isatty()

    @contextmanager
    def step(
        self, name: str, share: Callable[[], float | None] | None = None, beside: bool = False
    ) -> Iterator[None]:
        """Announce a step for as long as the body runs.

        Parameters
        ----------
        share
            Tells the part that is done (0 to 1), None while it is not known.
        beside
            Whether another step is shown meanwhile: then this one is told when it ends.
        """
        started = time.monotonic()
        stop = threading.Event()
        watcher = threading.Thread(
            target=self._watch, args=(name, share, started, stop), daemon=True
        )
        if not beside:
            watcher.start()
        outcome = "failed"
        try:
            yield
            outcome = "done"
        finally:
            stop.set()
            if not beside:
                watcher.join()
            with self._lock:
                # Steps count in the order in which they end, and once however often one is tried.
                self._ended.setdefault(name, len(self._ended) + 1)
                self._line(self._text(name, outcome, started), final=True)

    def say(self, text: str) -> None:
        """Write one line of its own."""
        self._line(text, final=True)

    def _watch(
        self,
        name: str,
        share: Callable[[], float | None] | None,
        started: float,
        stop: threading.Event,
    ) -> None:
        every = REFRESH_SECONDS if self._live else LOG_EVERY_SECONDS
        if self._live:
            self._line(self._text(name, "", started), final=False)
        while not stop.wait(every):
            self._line(self._text(name, _percent(share, started), started), final=not self._live)

    def _text(self, name: str, state: str, started: float) -> str:
        width = len(str(self.total or 99))
        count = self._ended.get(name, len(self._ended) + 1)
        place = f"[{count:>{width}}/{self.total}]" if self.total else f"[{count:>2}]"
        return f"{place} {name:<34} {state:<22} {time.monotonic() - started:6.1f} s"

    def _line(self, text: str, final: bool) -> None:
        if self._stream is None:
            return
        before, after = ("\r\x1b[2K", "\n" if final else "") if self._live else ("", "\n")
        self._stream.write(f"{before}{text.rstrip()}{after}")
        self._stream.flush()


def _percent(share: Callable[[], float | None] | None, started: float) -> str:
    done = share() if share is not None else None
    if not done:
        return ""
    left = (time.monotonic() - started) * (1 - done) / done
    return f"{done:4.0%}, {left:.0f} s left"


def spark_share() -> float | None:
    """Part of the tasks of Spark's active stages that are done, None without any."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is None or getattr(context, "_jsc", None) is None:  # none yet
        return None
    tracker = context.statusTracker()
    infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [info for info in infos if info is not None]
    total = sum(info.numTasks for info in known)
    return sum(info.numCompletedTasks for info in known) / total if total else None
