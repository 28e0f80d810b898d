"""Processes that tests start and look for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has reaped counts as ended."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def eventually(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether a condition comes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def content(file: Path) -> str:
    """Text of a file that another process writes; empty if there is none yet."""
    return file.read_text() if file.exists() else ""


def checkout() -> dict[str, str]:
    """Environment in which another process finds the modules of this repository."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
