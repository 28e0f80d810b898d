"""Standard output and standard error whose readers may close them at any time.

If a pipe is closed (``| head``), a terminal is lost or a disk is full, work continues without
output. Only a command whose output is its purpose fails, unless its reader closed the pipe early.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from pipeline.base.errors import StageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Lenient(io.FileIO):
    """A file that drops what can no longer be written, and keeps why.

    No unwritten data stays in the buffers above, so that Python's own flush at the end of the
    process succeeds as well.
    """

    lost: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        if self.lost is None:
            try:
                return super().write(data)
            except BlockingIOError:
                raise
            except OSError as error:
                self.lost = error
        return memoryview(data).nbytes


def lenient(number: int, like: TextIO | None = None) -> io.TextIOWrapper:
    """An open file descriptor as a stream that can always be written to."""
    file = io.BufferedWriter(_Lenient(number, "w", closefd=False))
    if not isinstance(like, io.TextIOWrapper):
        return io.TextIOWrapper(file)
    by_line = like.line_buffering or like.write_through
    # What a terminal's encoding lacks, such as the dashes of ASCII, must not end the program.
    errors = "replace" if like.errors == "strict" else like.errors
    return io.TextIOWrapper(file, like.encoding, errors, line_buffering=by_line)


def make_safe() -> None:
    """Replace this process's standard output and standard error by lenient streams."""
    _open_missing()
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = lenient(1, sys.stdout), lenient(2, sys.stderr)


def _open_missing() -> None:
    """Open standard files that were closed (``>&-``), whose numbers the next file would get."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def is_lost() -> bool:
    """Whether standard output can no longer be written, so that a long output may stop."""
    return _lost() is not None


def _lost() -> OSError | None:
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.lost if isinstance(raw, _Lenient) else None


def loss() -> str | None:
    """Why standard output could not be written; None if it could or the reader closed the pipe."""
    sys.stdout.flush()
    error = _lost()
    if error is None or isinstance(error, BrokenPipeError):
        return None
    return f"cannot write to standard output ({error.strerror})"


@contextmanager
def answered() -> Iterator[None]:
    """Run a command whose only purpose is its output.

    Raises StageError if the output could not be written. A reader that closes the pipe early is not
        an error.
    """
    yield
    lost = loss()
    if lost is not None:
        raise StageError(f"{lost}: the output is incomplete")
