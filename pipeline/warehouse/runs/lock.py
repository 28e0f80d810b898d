"""One owner per run id: a lock that the operating system frees when its holder dies.

The run's first task takes the lock exclusively, which fails while any other process works
on the run; then every process that works for the run shares it. A process that removes a run
holds the lock exclusively.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO

from pipeline.base.errors import InputError, StageError
from pipeline.base.process import file_lock

_held: dict[Path, IO[str]] = {}


def claim(folder: Path, run_id: str, alone: bool = False) -> None:
    """Take a run for this process until it ends or calls `release`.

    alone: Whether to keep the lock exclusive, so that no process can share it.
    Raises InputError if another process is running it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = file_lock.take(folder / "lock")
    if file is None:
        raise InputError(
            f"run_id {run_id!r} is in use by a running run; wait for it to end, or choose another "
            "id"
        )
    if not alone:
        file_lock.share(file)
    _held[folder] = file


def release(folder: Path) -> None:
    """Release the run's lock; does nothing if this process does not hold it."""
    file = _held.pop(folder, None)
    if file is not None:
        file.close()


class Share:
    """Hold a run's lock together with its other processes while a task works."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder, self._run_id = folder, run_id
        self._file: IO[str] | None = None

    def __enter__(self) -> None:
        if self._folder in _held:
            return
        self._file = file_lock.take(self._folder / "lock", shared=True)
        if self._file is None:
            raise StageError(f"run {self._run_id}: taken over by another process")

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
