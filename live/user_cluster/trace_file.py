"""A trace that is written while it is recorded.

Rows go into the file that the user has named, each with one call of the system: after every row the
file is a valid trace. A partial file that is renamed at the end would keep nothing more, and a
process that is killed would leave the recording under a name that nobody looks for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from pipeline.base.errors import InputError, StageError
from pipeline.base.process import signals


def check_new(path: Path) -> None:
    """Check that a file can be new. Raises InputError if it exists, or its folder does not."""
    if os.path.lexists(path):
        raise InputError(f"{path} exists already; choose another file for -o")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; create it first")


class TraceFile:
    """Writes a wide CSV: a column ``timestamp``, then one for each partition.

    A context manager. A file without rows is removed.

    Raises InputError if the file exists already, or cannot be created.
    """

    def __init__(self, path: Path, partitions: int) -> None:
        self._path = path
        self.rows = 0
        check_new(path)
        try:
            self._number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            reason = (error.strerror or "cannot be created").lower()
            raise InputError(f"{path}: {reason}; choose another file for -o") from None
        self._size = 0
        self._append("timestamp," + ",".join(map(str, range(partitions))))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._number)
        if not self.rows:
            with suppress(OSError):
                self._path.unlink()

    def write(self, at_s: float, rates: Sequence[float | None]) -> None:
        """Append a row, completely or not at all.

        at_s: Time from which the rates hold, seconds since the epoch.
        rates: Bytes/s by partition, None for one that does not exist.
        Raises StageError if it cannot be written; earlier rows stay.
        """
        with signals.held():
            self._append(",".join([_time(at_s), *map(_cell, rates)]))
            self.rows += 1

    def _append(self, line: str) -> None:
        data = f"{line}\n".encode()
        try:
            if os.write(self._number, data) < len(data):
                raise OSError(0, "no space left on device")
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._number, self._size)
                os.lseek(self._number, self._size, os.SEEK_SET)
            raise StageError(
                f"cannot write {self._path}: {(error.strerror or 'failed').lower()}; "
                f"{self.rows:,} rows are kept"
            ) from error
        self._size += len(data)


def _time(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _cell(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.3f}".rstrip("0").rstrip(".")
