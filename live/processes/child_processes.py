"""Child processes that end with their parent, however it ends, and write to a log of their own.

The kernel kills them when the parent is gone, also after ``kill -9`` (Linux: ``PR_SET_PDEATHSIG``).
Each leads a session of its own, so that Ctrl-C in the terminal reaches the parent alone, which then
ends its children in order.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from live.processes import process_starter
from pipeline.base.errors import InputError, StageError
from pipeline.base.text.failure_cause import cause

KILL_SECONDS = 10.0
"""For how long a killed process may take to vanish, for instance while its memory is freed."""

TAIL_BYTES = 65536

LOG = "GROUPSCALE_LIVE_LOG"
"""Variable with the log of a child, which marks it and its own children as those of a run."""


@dataclass(frozen=True)
class Child:
    """A process that this one has started."""

    name: str
    """What messages call it."""
    log: Path
    """File with its standard output and standard error."""
    process: subprocess.Popen[bytes]
    """The process; its ``returncode`` is negative after a signal."""

    @property
    def pid(self) -> int:
        """Process id, of its session and process group as well."""
        return self.process.pid

    def status(self) -> int | None:
        """Exit status, negative after a signal; None while it runs. Reaps a process that ended."""
        return self.process.poll()

    def status_within(self, seconds: float) -> int | None:
        """Exit status, None if it still runs after that time."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        return self.status()

    def send(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    def why(self) -> str:
        """Line of the log that says why it ended, with the log's name, else its exit status."""
        line = last_cause(self.log)
        return f"{line or self._state()} (log: {self.log})"

    def _state(self) -> str:
        status = self.status()
        return "still running" if status is None else f"exit status {status}"


def start(
    command: Sequence[str | Path],
    name: str,
    log: Path,
    env: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> Child:
    """Start a program that is killed when this process ends; any thread may call this.

    command: Program and arguments; a program without a slash is looked up in the PATH.
    log: File to which its output is appended; folders are made.
    env: Environment variables; None for those of this process.
    descriptors: File descriptors that it inherits, with the same numbers.
    Raises InputError if this is not Linux.
    Raises StageError if the system cannot start a process.
    """
    if sys.platform != "linux":
        raise InputError("live runs require Linux, whose children can end with their parent")
    try:
        words = list(map(str, command))
        marked = {**(os.environ if env is None else env), LOG: str(log.absolute())}
        return Child(name, log, process_starter.spawn(words, log, marked, descriptors))
    except OSError as error:
        raise StageError(f"cannot start {name}: {error}") from error


def start_module(
    module: str,
    arguments: Sequence[str | Path],
    name: str,
    log: Path,
    descriptors: Sequence[int] = (),
) -> Child:
    """Start ``python -m module arguments``, which finds the modules that this process finds.

    Raises InputError if this is not Linux.
    Raises StageError if the system cannot start a process.
    """
    places = os.pathsep.join(filter(None, sys.path))  # never the current folder
    env = {**os.environ, "PYTHONPATH": places, "PYTHONUNBUFFERED": "1"}
    return start([sys.executable, "-m", module, *arguments], name, log, env, descriptors)


def died(children: Iterable[Child]) -> dict[str, int]:
    """Exit statuses of the children that have ended, by name."""
    statuses = {child.name: child.status() for child in children}
    return {name: status for name, status in statuses.items() if status is not None}


def stop(children: Iterable[Child], grace: float) -> dict[str, int]:
    """End children together, and reap them.

    grace: Seconds between SIGTERM, which all get at once, and SIGKILL for those that are left.
    Returns: Exit statuses by name.
    Raises StageError if a process does not even end when it is killed.
    """
    processes = list(children)
    for child in processes:
        child.send(signal.SIGTERM)
    until = time.monotonic() + grace
    for child in processes:
        child.status_within(until - time.monotonic())
    kill(processes)
    return died(processes)


def kill(children: Iterable[Child]) -> None:
    """Kill children with their process groups, and reap them. Raises StageError if one stays."""
    left = [child for child in children if child.status() is None]
    for child in left:
        # A group outlives its leader, but this leader is not reaped yet: its id is its own.
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
            child.send(signal.SIGKILL)
    until = time.monotonic() + KILL_SECONDS
    for child in left:
        if child.status_within(until - time.monotonic()) is None:
            raise StageError(f"cannot kill {child.name} (process {child.pid})")


def last_cause(log: Path) -> str:
    """Line at the end of a log that says why its program failed; empty if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - TAIL_BYTES, 0))
            return cause(file.read().decode(errors="replace"))
    except OSError:
        return ""
