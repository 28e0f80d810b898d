"""Causes of failed steps, with remedies, from Java's and Python's exceptions.

Some faults are the machine's, not the code's: a full disk, a folder that cannot be written, a
damaged file. Their traces are long and name neither the table nor a remedy, so this module
recognises them anywhere in a chain of causes.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import schemas
from pipeline.base import paths
from pipeline.base.errors import Damaged, GroupscaleError, StageError
from pipeline.base.paths import Paths
from pipeline.base.text import addresses

MAX_CAUSE = 600

_FULL = re.compile(r"No space left on device|Disk quota exceeded|database or disk is full")
_TOO_LARGE = re.compile(r"File too large")
_UNWRITABLE = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|Mkdirs failed"
)
_NOT_MADE = re.compile(
    r"(?:Mkdirs failed to create|Could not create local directory:) (?:file:)?(/[^\s()]+)"
)
_UNREADABLE = re.compile(
    r"FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER|is not a [Pp]arquet file|Checksum error"
    r"|FileNotFoundException|DELTA_FILE_NOT_FOUND|could not verify page|ParquetDecodingException"
)
_JVM_GONE = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError")
_SERVER_GONE = re.compile(
    r"StatusCode\.UNAVAILABLE|INVALID_HANDLE\.SESSION|RESPONSE_ALREADY_RECEIVED|NO_ACTIVE_SESSION"
)
"""A Spark Connect server that does not respond, or has been started again without the session."""
_OWN = re.compile(r"OwnFunctionError: ([^\n]+)")
"""A user's own algorithm that breaks its contract, in the traceback of a Python worker."""
_RUN = re.compile(r"(?:^|/)run_id=([^/]+)/")
_FILE = re.compile(r"(?:file:|s3a?:|hdfs:)?/[^\s'\"]*?\.(?:parquet|json)\b")


class Causes:
    """Turns any exception of a run's step into a StageError that says what to do.

    places: Where the run has its tables.
    run_id: The run, for the remedy.
    """

    def __init__(self, step: str, places: Paths, run_id: str) -> None:
        self._step, self._places, self._run_id = step, places, run_id

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        is_own = isinstance(error, GroupscaleError) and not isinstance(error, Damaged)
        if is_own or not isinstance(error, Exception):
            return
        message = error_text(error, self._places, self._run_id)
        raise StageError(addresses.shown(f"{self._step}: {message}")) from error


def error_text(error: Exception, places: Paths, run_id: str) -> str:
    """The cause and the remedy; for an unknown cause the most useful line of the error."""
    story = "\n".join(_texts(error))
    again = f"repeat the run with --run-id {run_id}"
    own = _OWN.search(story)
    if own is not None:
        return own.group(1).strip()[:MAX_CAUSE]
    if _FULL.search(story):
        return f"no space left on {_fullest(places)}; free some, then {again}"
    if _TOO_LARGE.search(story):
        return f"a file reached this process's size limit (ulimit -f); raise it, then {again}"
    if _UNWRITABLE.search(story):
        return f"cannot write to {_unwritable(story)}; {paths.REMEDY}, or fix it and {again}"
    damaged = _damaged(error, story, places, run_id)
    if damaged is not None:
        return damaged.message(run_id) if isinstance(damaged, Damaged) else f"{damaged}; {again}"
    if is_lost(story) or any(type(one).__name__ in _JVM_GONE for one in chain(error)):
        return (
            "Spark's process has ended, was restarted or does not respond: it may have been killed "
            f"or run out of memory (see {paths.logs() / 'spark.log'}); {again}"
        )
    return _line(error)


def is_disk(error: BaseException) -> bool:
    """Whether the cause is a full disk or a folder that cannot be written."""
    story = "\n".join(_texts(error))
    return any(pattern.search(story) for pattern in (_FULL, _TOO_LARGE, _UNWRITABLE))


def is_lost(story: str) -> bool:
    """Whether an error's text says that a Spark Connect server has ended or was restarted."""
    return _SERVER_GONE.search(story) is not None


def chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that caused it or were being handled when it was raised."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _texts(error: BaseException) -> Iterator[str]:
    """All messages of the chain, including Java's own chain."""
    for link in chain(error):
        yield _text(link)
        yield str(getattr(link, "_stackTrace", ""))


def _text(error: BaseException) -> str:
    """An exception's text; for those of Java the JVM is asked, which fails once it is gone."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__


def _line(error: Exception) -> str:
    """The most useful line of a Java or Python exception."""
    lines = [line.strip() for line in _text(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("at ", "An error occurred"))]
    # A traceback of a Python worker ends with its exception; Java begins with it.
    place = -1 if type(error).__name__ == "PythonException" else 0
    return (f"{type(error).__name__}: " + (telling or [""])[place])[:MAX_CAUSE]


def _fullest(places: Paths) -> str:
    """The folder with the least free space of those that a run writes, and that space."""
    spark = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0]
    folders = (places.warehouse, paths.home() / ".state", Path(spark))
    rooms = [(_room(folder), folder) for folder in folders if folder.is_dir()]
    if not rooms:
        return str(places.warehouse)
    (free, total), folder = min(rooms, key=lambda room: room[0][0])
    return f"{folder} ({_size(free)} of {_size(total)} free)"


def _room(folder: Path) -> tuple[int, int]:
    usage = shutil.disk_usage(folder)
    return usage.free, usage.total


def _size(count: int) -> str:
    """Bytes as readable text.

    >>> _size(3_400_000_000)
    '3.4 GB'
    """
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _unwritable(story: str) -> str:
    """The folder or file that could not be written, and the system's reason."""
    made = _NOT_MADE.search(story)
    if made:
        return f"{made.group(1)} (the folder cannot be created)"
    reason = _UNWRITABLE.search(story)
    why = reason.group().lower() if reason else os.strerror(errno.EACCES)
    named = re.search(r"(/[^\s:'\"()]+)[^\n/]{0,40}" + f"(?:{_UNWRITABLE.pattern})", story)
    return f"{named.group(1) if named else 'a folder of the run'} ({why})"


def damaged(table: str, file: str, own: str | None = None) -> Damaged:
    """The error for a file of a table that cannot be read.

    file: Its path within the table, which usually shows the run.
    own: The run that it belongs to if its path does not show it.
    """
    if schemas.TABLES[table].lasting:
        return Damaged(table, file, None)
    named = _RUN.search(file)
    return Damaged(table, file, named.group(1) if named else own)


def _damaged(error: Exception, story: str, places: Paths, run_id: str) -> Damaged | str | None:
    """The error for the file that could not be read; None if the cause is another."""
    if isinstance(error, Damaged):
        return error
    if not _UNREADABLE.search(story):
        return None
    for match in _FILE.finditer(story):
        table, name = _within(match.group(), places)
        if table is None:
            continue
        if name.startswith("_delta_log/"):
            return (
                f"table {table}: its log is damaged or incomplete ({table}/{name}); restore "
                "the file from a backup, or choose another warehouse"
            )
        return damaged(table, name, run_id)
    return None


def _within(location: str, places: Paths) -> tuple[str | None, str]:
    """The table that a file belongs to and its path there; None if it is not one of ours."""
    plain = re.sub(r"^file:/+", "/", location)
    # Some messages quote names as in URLs, and some as they are on disk.
    named = plain if Path(plain).parent.is_dir() else unquote(plain)
    for table in schemas.TABLES:
        folder = re.sub(r"^file:/+", "/", places.table(table)) + "/"
        if folder in named:
            return table, named.split(folder, 1)[1]
    return None, ""
