"""Measures the time of a command and the memory of all its processes together.

Memory is Linux's proportional set size: a page that several processes share counts once, so the
sum over a process and its descendants is the memory that the machine needs. Linux walks all pages
for it and stops the process while it does: sampling twice a second made runs a tenth slower. The
interval between samples is therefore a multiple of the time that the last one took.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
EVERY_SECONDS = 0.5
SPARING = 40
"""Minimum ratio of the pause after a sample to the time that it took."""
KIB = 1024


class Watched(NamedTuple):
    """Time and memory of a command."""

    seconds: float
    """Wall time from start to end."""
    peak_mib: float
    """Largest sum of the proportional set sizes of the command and its descendants, MiB, sampled
    every few seconds."""
    status: int
    """Exit status."""


def run(command: Sequence[str], env: Mapping[str, str], cwd: Path, log: Path) -> Watched:
    """Run a command to its end, with its output in a file, and watch it.

    log: File for its output, overwritten.
    """
    peak = 0.0
    ended = threading.Event()

    def look(process: int) -> None:
        nonlocal peak
        pause = EVERY_SECONDS
        while not ended.wait(pause):
            began = time.monotonic()
            peak = max(peak, memory_mib(process))
            pause = pause_after(time.monotonic() - began)

    with log.open("w") as output:
        started = time.monotonic()
        process = subprocess.Popen(
            command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        watcher = threading.Thread(target=look, args=(process.pid,), daemon=True)
        watcher.start()
        status = process.wait()
        seconds = time.monotonic() - started
        ended.set()
        watcher.join()
    return Watched(seconds, peak, status)


def memory_mib(process: int) -> float:
    """Proportional set size of a process and its descendants, MiB; those that end count as 0."""
    return sum_mib(family(process))


def sum_mib(pids: Iterable[int]) -> float:
    """Proportional set size of some processes together, MiB; those that end count as 0."""
    return sum(_pss_kib(pid) for pid in pids) / KIB


def pause_after(seconds: float) -> float:
    """Seconds to wait after a sample that took some seconds."""
    return max(EVERY_SECONDS, SPARING * seconds)


def family(process: int) -> Iterator[int]:
    """A process and its descendants that are alive."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                children.setdefault(parent, []).append(int(entry.name))
    waiting = [process]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, [])


def _parent(entry: Path) -> int | None:
    try:
        # The name in parentheses may contain spaces, even parentheses.
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1])


def _pss_kib(process: int) -> int:
    try:
        lines = (PROC / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
