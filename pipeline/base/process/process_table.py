"""Processes of this machine, as the kernel lists them (Linux).

The system reuses process ids, but not the combination of id, start time and boot.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
BOOT = PROC / "sys/kernel/random/boot_id"
ZOMBIE = "Z"


@dataclass(frozen=True)
class Process:
    """The kernel's data on a process; ``started`` is in ticks since the machine started."""

    pid: int
    parent: int
    session: int
    started: int


def boot() -> str:
    """Identifier of the current boot of the machine. Raises OSError if this is not Linux."""
    return BOOT.read_text().strip()


def look_up(pid: int) -> Process | None:
    """A process by its id; None if it is gone, or a zombie."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name is in parentheses, and may contain parentheses and blanks.
    fields = text.rpartition(")")[2].split()
    if fields[0] == ZOMBIE:
        return None
    return Process(pid, int(fields[1]), int(fields[3]), int(fields[19]))


def everything() -> dict[int, Process]:
    """All processes by id, except zombies."""
    processes = (look_up(int(entry.name)) for entry in PROC.glob("[0-9]*"))
    return {process.pid: process for process in processes if process is not None}


def is_same(process: Process | None, started: int, its_boot: str) -> bool:
    """Whether a process is the one that started then, not another one with the same id."""
    return process is not None and process.started == started and its_boot == boot()
