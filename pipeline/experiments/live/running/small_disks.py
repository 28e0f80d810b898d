"""File systems in memory that fill soon, which only root can mount."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.base.errors import StageError


class NoSmallDisk(StageError):
    """A file system cannot be mounted or unmounted here."""


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[None]:
    """Have a file system of a size in a new folder, until the end of the body.

    mib: Its size, MiB; 0 for none.
    Raises NoSmallDisk if this user or machine cannot mount one; says why.
    """
    if not mib:
        yield
        return
    folder.mkdir(parents=True)
    _call("mount", "-t", "tmpfs", "-o", f"size={mib}m", "groupscale", str(folder))
    try:
        yield
    finally:
        # Files that a process holds open keep the file system until it ends.
        _call("umount", "--lazy", str(folder))


def unmount_below(folder: Path) -> None:
    """Unmount what a killed command left in a folder. Raises NoSmallDisk if it may not."""
    for place in [one for one in folder.rglob("*") if one.is_mount()]:
        _call("umount", "--lazy", str(place))


def _call(*command: str) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoSmallDisk(f"cannot {command[0]} a small disk: {error}") from error
    if result.returncode:
        raise NoSmallDisk(f"cannot {command[0]} a small disk: {result.stderr.strip()}")
