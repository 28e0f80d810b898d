"""File systems in memory that fill soon, which only root can mount."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.base.errors import StageError

LEAST_FREE = 2**20
"""Free space below which a disk counts as full, bytes."""

_ROOM, _TRIES = LEAST_FREE // 2, 6
"""Bytes that a disk which is to be full may still take, doubled with each try."""


class NoSmallDisk(StageError):
    """A file system cannot be mounted, changed or unmounted here."""


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[None]:
    """Have a file system of a size in a new folder, until the end of the body.

    mib: Its size, MiB; 0 for none.
    Raises NoSmallDisk if this user or machine cannot mount one; says why.
    """
    if not mib:
        yield
        return
    mount(folder, mib)
    try:
        yield
    finally:
        unmount(folder)


def mount(folder: Path, mib: int) -> None:
    """Mount a file system of a size in a new folder, which only this user can enter.

    Raises NoSmallDisk if this user or machine cannot mount one; says why.
    """
    folder.mkdir(mode=0o700, parents=True)
    _call("mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=700", "groupscale", str(folder))


def unmount(folder: Path) -> None:
    """Unmount the file system of a folder. Raises NoSmallDisk if that fails."""
    # Files that a process holds open keep the file system until it ends.
    _call("umount", "--lazy", str(folder))


def unmount_below(folder: Path) -> None:
    """Unmount what a killed command left in a folder. Raises NoSmallDisk if it may not."""
    for place in [one for one in folder.rglob("*") if one.is_mount()]:
        unmount(place)


def fill(folder: Path) -> None:
    """Leave a mounted file system hardly more space than it uses.

    Raises NoSmallDisk if that is not allowed.
    """
    for doubled in range(_TRIES):
        usage = shutil.disk_usage(folder)
        try:
            _call("mount", "-o", f"remount,size={usage.used + (_ROOM << doubled)}", str(folder))
        except NoSmallDisk:
            # What is written meanwhile can take more, and then the system refuses the size.
            if doubled == _TRIES - 1:
                raise
        else:
            return


def grow(folder: Path, mib: int) -> None:
    """Give a mounted file system another size, MiB. Raises NoSmallDisk if it may not."""
    _call("mount", "-o", f"remount,size={mib}m", str(folder))


def is_full(folder: Path) -> bool:
    """Whether a folder's disk has no space left; one that does not exist is not full."""
    try:
        return shutil.disk_usage(folder).free < LEAST_FREE
    except FileNotFoundError:
        return False


def _call(*command: str) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoSmallDisk(f"cannot {command[0]} a small disk: {error}") from error
    if result.returncode:
        raise NoSmallDisk(f"cannot {command[0]} a small disk: {result.stderr.strip()}")
