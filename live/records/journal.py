"""A process's journal: what it did and heard, one JSON object a line, with the time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self


class Journal:
    """Appends to a file; each line is written at once, so that it survives kill -9.

    file: The file; lines of an earlier process stay.
    now: The run's clock: nanoseconds since the epoch.
    always: Fields of all entries, such as the process where several write to one file.
    """

    def __init__(self, file: Path, now: Callable[[], int], **always: Any) -> None:
        self._now, self._always = now, always
        self._file = file.open("a", buffering=1, encoding="utf-8")

    def write(self, what: str, **fields: Any) -> None:
        """Append an entry; ``at_ns`` is the time."""
        entry = {"what": what, "at_ns": self._now(), **self._always, **fields}
        self._file.write(json.dumps(entry, separators=(",", ":")) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def entries(file: Path) -> Iterator[dict[str, Any]]:
    """Entries of a journal; a last line that was cut off by the end of a process is left out."""
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
