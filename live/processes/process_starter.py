"""Starts processes that the kernel kills when this process is gone (``PR_SET_PDEATHSIG``).

That signal is tied to the thread that has started a process, not to its process: so one thread,
which lives as long as this process, starts all of them.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

# Replaces itself by the program. A parent that is gone already cannot send the signal any more.
_ENTRY: Final = """\
import ctypes, os, sys
ctypes.CDLL(None, use_errno=True).prctl(1, int(sys.argv[2]))
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except OSError as error:
    sys.exit(f"error: cannot start {sys.argv[3]}: {error.strerror}")
"""


def spawn(
    command: Sequence[str],
    log: Path,
    env: Mapping[str, str] | None,
    descriptors: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program, in a session of its own, that ends with this process.

    log: File to which its output is appended; folders are made.
    env: Environment variables; None for those of this process.
    descriptors: Open files that the program keeps, by the same numbers.
    Raises OSError if the log cannot be written, or no process started. A program that does not
        exist is an error in the log.
    """
    entry = (sys.executable, "-I", "-S", "-c", _ENTRY, str(os.getpid()), str(int(signal.SIGKILL)))

    def start() -> subprocess.Popen[bytes]:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            return subprocess.Popen(
                [*entry, *command],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=descriptors,
            )

    return _starter.call(start)


class _Starter:
    """A thread that calls functions for others, and lives as long as this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, spawn: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        done: Future[subprocess.Popen[bytes]] = Future()

        def work() -> None:
            try:
                done.set_result(spawn())
            except BaseException as error:
                done.set_exception(error)

        with self._lock:
            # A process that was forked has no other threads than the one that forked it.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="starter", daemon=True)
                self._thread.start()
        self._waiting.put(work)
        return done.result()

    def _run(self) -> None:
        while True:
            self._waiting.get()()


_starter = _Starter()
