"""Reads files that users name: regular files of bounded size, or one clear error."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pipeline.base.errors import InputError

SEE = "see docs/traces.md"
"""Where messages about a file point to."""


def check(path: Path, max_bytes: int) -> int:
    """Size of a file in bytes, after checking that it can be read.

    Raises InputError if it is missing, not a regular file (reading a pipe could wait forever),
        unreadable, empty or too large.
    """
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode):
            path.open("rb").close()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {_reason(error)}") from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: {_folder(path)}")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path}: not a regular file")
    if status.st_size == 0:
        raise InputError(f"{path}: the file is empty")
    if status.st_size > max_bytes:
        raise InputError(
            f"{path}: can have at most {max_bytes:,} bytes (got {status.st_size:,}); split the file"
        )
    return status.st_size


def read_text(path: Path, max_bytes: int) -> str:
    """Content in UTF-8, without byte order mark. Raises InputError as `check`, or with the line."""
    check(path, max_bytes)
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, data, error.start) from error


def not_utf8(path: Path, data: bytes, position: int) -> InputError:
    """The error for text that is not UTF-8 at a position of ``data``."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return InputError(f"{path}:1: must be UTF-8 text (got UTF-16)")
    line = data.count(b"\n", 0, position) + 1
    return InputError(f"{path}:{line}: must be UTF-8 text; save the file as UTF-8")


def is_cut(path: Path) -> bool:
    """Whether a text file does not end with a line end, as one that was cut short."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read() not in (b"\n", b"\r", b"")


CUT = "The last line has no line end; if the file was cut short, its last value is wrong."


def _folder(path: Path) -> str:
    """Why a folder is not read, and what to do."""
    parts = sorted(
        part for part in path.glob("part-*") if part.suffix in (".parquet", ".csv", ".json")
    )
    if len(parts) == 1:
        return f"is a folder with one part file, as Spark writes; name the file {parts[0].name}"
    if parts:
        return (
            f"is a folder of {len(parts):,} part files, as Spark writes; write one file with "
            "df.coalesce(1), or join them"
        )
    return "is a folder; name a file"


def shown_name(path: Path) -> str:
    """Name of the file without its folder, always printable."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "not found"
    return (getattr(error, "strerror", None) or str(error)).lower()
