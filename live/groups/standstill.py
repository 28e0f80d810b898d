"""When the members of a group stand still: a file of the run, which each of them reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pipeline.base.process import replaced_file

Spans = list[tuple[int, int]]
"""Starts and ends, nanoseconds of the run's clock."""


def file_of(folder: Path) -> Path:
    """File in the run's folder."""
    return folder / "standstill.json"


def write(folder: Path, spans: Iterable[tuple[int, int]]) -> None:
    """Say when members stand still; nothing is written if they never do."""
    content = list(spans)
    if content:
        replaced_file.write_json(file_of(folder), content)


class Standstill:
    """Reads the file as soon as it is there: members start before the run begins.

    expected: Whether there will be one.
    """

    def __init__(self, folder: Path, expected: bool) -> None:
        self._file, self._expected = file_of(folder), expected
        self._spans: Spans | None = None

    def holds(self, now_ns: int) -> bool:
        """Whether the member stands still now."""
        if self._spans is None and self._expected and self._file.exists():
            self._spans = [(first, last) for first, last in json.loads(self._file.read_bytes())]
        return any(first <= now_ns < last for first, last in self._spans or ())
