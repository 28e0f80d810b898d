"""One process at a time: another one says that it waits, and waits."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from tools.console import say


@contextmanager
def held(file: IO[str], waiting: str) -> Iterator[None]:
    """Hold the lock on an open file, closed at the end. waiting: What to say meanwhile."""
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(waiting)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
