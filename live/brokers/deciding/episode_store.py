"""Decisions of a decider on a cluster, and what it had learned after the last whole episode.

A line of JSON per decision, on disk before the next one. What was learned, and how far the lines
count, is one file that is replaced at the end of each episode: after a kill at any time, decisions
go on from there.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.learning.online_agent import Stored
from live.broker_metrics.scraped_values import Latencies
from live.brokers.deciding.episode_decisions import Decision
from pipeline.base.errors import StageError
from pipeline.base.process import replaced_file

LINES, WHOLE = "decisions.jsonl", "whole.npz"


class _Whole(NamedTuple):
    """What the file `WHOLE` has."""

    episodes: int
    size: int
    """Of the lines of whole episodes, bytes."""
    task: str
    stored: Stored


class EpisodeStore:
    """The files of a decider in a folder, which is created.

    task: All that decisions depend on; files of another task are begun again.
    Raises StageError if a file is damaged.
    """

    def __init__(self, folder: Path, task: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._task = folder, task
        self._whole = _read(folder / WHOLE)
        if self._whole.task != task:
            self._whole = _Whole(0, 0, task, {})
        self._file = os.open(folder / LINES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if os.fstat(self._file).st_size < self._whole.size:
            os.close(self._file)
            raise StageError(f"{folder / LINES}: the evidence is shorter than it was")
        self.discard()

    @property
    def episodes(self) -> int:
        """Whole episodes."""
        return self._whole.episodes

    @property
    def stored(self) -> Stored:
        """What the decider had stored after the last whole one; empty before the first."""
        return self._whole.stored

    def append(self, decision: Decision, **content: Any) -> None:
        """Store a decision of an episode; it is on disk on return."""
        line = json.dumps({**decision._asdict(), **content})
        os.write(self._file, f"{line}\n".encode())
        os.fsync(self._file)

    def discard(self) -> None:
        """Forget decisions of an episode that was broken off."""
        os.ftruncate(self._file, self._whole.size)

    def end_episode(self, stored: Stored) -> None:
        """Store what was learned: the episode is whole on return."""
        size = os.fstat(self._file).st_size
        whole = _Whole(self.episodes + 1, size, self._task, dict(stored))
        _write(self._folder / WHOLE, whole)
        self._whole = whole

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read(folder: Path) -> Iterator[tuple[Decision, dict[str, Any]]]:
    """Decisions of whole episodes in a folder, with the further content of their lines.

    Raises StageError if a file is missing or damaged.
    """
    size = _read(folder / WHOLE).size
    try:
        lines = (folder / LINES).read_bytes()[:size].splitlines()
        entries = [json.loads(line) for line in lines]
        for entry in entries:
            own = {name: entry.pop(name) for name in Decision._fields}
            p95_ms, metrics = Latencies(*own["p95_ms"]), tuple(own["metrics"])
            yield Decision(**{**own, "p95_ms": p95_ms, "metrics": metrics}), entry
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise StageError(f"{folder}: the evidence is incomplete ({error})") from error


def _read(file: Path) -> _Whole:
    """What was stored last; nothing if there is no file."""
    if not file.exists():
        return _Whole(0, 0, "", {})
    try:
        with np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        numbers, task = arrays.pop("_numbers"), str(arrays.pop("_task"))
        return _Whole(int(numbers[0]), int(numbers[1]), task, arrays)
    except (OSError, ValueError, LookupError, zipfile.BadZipFile) as error:
        raise StageError(f"{file}: what was learned is damaged ({error})") from error


def _write(file: Path, whole: _Whole) -> None:
    numbers = np.array([whole.episodes, whole.size])
    task = np.array(whole.task)
    with replaced_file.replaced(file, is_durable=True) as draft, draft.open("wb") as stream:
        np.savez(stream, _numbers=numbers, _task=task, **whole.stored)
