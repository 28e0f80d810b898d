"""Locks on files, which the operating system frees when their holder dies."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def take(file: Path, *, shared: bool = False) -> IO[str] | None:
    """Lock a file, which is created if need be, until it is closed.

    shared: Whether other processes may share the lock; by default none may.
    Returns: The open file; None if the lock of another process is in the way.
    """
    opened = file.open("a+")
    try:
        fcntl.flock(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        opened.close()
        return None
    return opened


def share(held: IO[str]) -> None:
    """Let other processes share a lock that this one holds."""
    fcntl.flock(held, fcntl.LOCK_SH)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the lock on a file alone; wait for other processes."""
    with file.open("a+") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
