"""Evidence of runs with faults, made up for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from tests.pipeline.experiments.live import synthetic_folders
from tests.pipeline.experiments.live.synthetic_folders import BEGAN_NS

SECOND = 10**9
FAULT_S = 7.0


def ns(seconds: float) -> int:
    """A time since the beginning of the run."""
    return BEGAN_NS + round(seconds * SECOND)


def folder(place: Path, *entries: dict[str, Any], **settings: Any) -> RunFolder:
    """A good run of 4 partitions and 5 iterations of 4 s, with another journal."""
    chosen = synthetic_folders.settings_for(place, **settings)
    synthetic_folders.make(place, settings=chosen)
    return run_folder.read(place)._replace(entries=entries)


def note(what: str, seconds: float = FAULT_S, **fields: Any) -> dict[str, Any]:
    return {"what": what, "at_ns": ns(seconds), **fields}


def started(seconds: float, partition: int, consumer: int, **fields: Any) -> dict[str, Any]:
    return note("heard", seconds, kind="started", partition=partition, consumer=consumer, **fields)


def sent(seconds: float, kind: str, partition: int, consumer: int, **fields: Any) -> dict[str, Any]:
    place = {"partition": partition, "consumer": consumer, "incarnation": 1}
    return note("sent", seconds, kind=kind, **place, **fields)


def write_lines(file: Path, *entries: dict[str, Any]) -> None:
    """Write a journal."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
