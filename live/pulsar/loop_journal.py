"""The journal of a loop: what it has measured and asked for, so that a successor can go on.

Each line is one write at the end of the file, so a kill leaves whole lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Entry = Mapping[str, Any]

FILE = "journal.jsonl"
"""Its name in the folder of a run."""

WINDOW, ASKED, RESIZED = "window", "asked", "resized"
"""Kinds: measurements since the last decision, with the entries that wait for each function; a
change before Pulsar is asked, and after."""

CREATED, RESTARTED = "created", "restarted"
"""Kinds: a function that was gone is there again; a loop has taken over from one that died."""


class LoopJournal:
    """A journal that is open for further entries."""

    def __init__(self, folder: Path) -> None:
        file = folder / FILE
        self.past = read(file) if file.exists() else []
        """Entries of the loops before."""
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, kind: str, at_s: float, **content: Any) -> None:
        """Add an entry. at_s: Since the load began, s."""
        os.write(self._file, f"{json.dumps({'kind': kind, 'at_s': at_s, **content})}\n".encode())

    def close(self) -> None:
        """End it."""
        os.close(self._file)


def read(file: Path) -> list[Entry]:
    """Entries in order. Raises OSError, and ValueError if a line is damaged."""
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()]


def unfinished(entries: list[Entry]) -> Entry | None:
    """The change that Pulsar may have been asked for, and whose answer is not known."""
    changes = [entry for entry in entries if entry["kind"] in (ASKED, RESIZED)]
    return changes[-1] if changes and changes[-1]["kind"] == ASKED else None


def recoveries(entries: list[Entry]) -> int:
    """Times that the loop was restarted, or has created a function again."""
    return sum(entry["kind"] in (CREATED, RESTARTED) for entry in entries)
