"""Files that other processes read while they are written: they see all of one, or the one before.

Unless a file is durable, it is not forced to the disk: after a loss of power it may be gone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replaced(file: Path, is_durable: bool = False) -> Iterator[Path]:
    """Give a place for a draft in the file's folder, which becomes the file if the body succeeds.

    Each process has a draft of its own; of two that write at once, the last one's remains.

    is_durable: Whether the file is on disk at the end, and before it the draft.
    """
    draft = file.with_name(f"{file.name}.{os.getpid()}.draft")
    try:
        yield draft
        if is_durable:
            _sync(draft)
        draft.replace(file)
        if is_durable:
            _sync(file.parent)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _sync(place: Path) -> None:
    """Force a file, or the names in a folder, to the disk."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(file: Path, text: str) -> None:
    """Replace the file by a text in UTF-8."""
    with replaced(file) as draft:
        draft.write_text(text, encoding="utf-8")


def write_json(file: Path, content: Any, indent: int | None = None) -> None:
    """Replace the file by a value in JSON."""
    write_text(file, json.dumps(content, indent=indent))
