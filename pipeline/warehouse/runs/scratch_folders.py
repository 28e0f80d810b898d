"""Folders of live runs outside of a warehouse, each locked while its command is at work."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.base import paths
from pipeline.warehouse.runs import lock


def place() -> Path:
    """The folder that holds them."""
    return paths.state() / "live"


@contextmanager
def new(prefix: str) -> Iterator[Path]:
    """A new folder, locked by this process; it stays if there is anything in it afterwards."""
    parent = paths.make_state() / place().name
    parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    lock.claim(folder, folder.name, alone=True)
    try:
        yield folder
    finally:
        lock.release(folder)
        if [file.name for file in folder.iterdir()] == ["lock"]:
            (folder / "lock").unlink()
            folder.rmdir()
