"""What a run of an application on Pulsar has left in its folder, as arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from live.pulsar import loop_journal
from live.pulsar.loop_journal import Entry
from pipeline.base.errors import StageError

SENT = ("number", "due_s", "sent_s", "acknowledged_s")
PASSED = ("number", "path", "function", "instance", "incarnation", "began_s", "done_s", "last")


class Evidence(NamedTuple):
    """Files of a run; times are seconds since the load began."""

    sent: pd.DataFrame
    """`SENT`: a row per event that was sent; ``acknowledged_s`` is NaN if Pulsar refused it."""
    passed: pd.DataFrame
    """`PASSED`: a row per event and function that it has passed, each time that it came out.
    ``path`` is the function at the end of its path, ``last`` whether it is that."""
    journal: list[Entry]
    """Windows, changes and recoveries of the loop, in order."""
    drained: bool


def read(folder: Path) -> Evidence:
    """Read what a run has left. Raises StageError if a file is missing or damaged."""
    try:
        began_ns = json.loads((folder / "began.json").read_text())["began_ns"]
        ended = json.loads((folder / "ended.json").read_text())
        sent = [_sent(line, began_ns) for line in _lines(folder / "sent.txt")]
        passed = [row for line in _lines(folder / "read.txt") for row in _passed(line, began_ns)]
        journal = loop_journal.read(folder / loop_journal.FILE)
    except (OSError, ValueError, LookupError) as error:
        raise StageError(f"{folder}: the evidence is incomplete ({error})") from error
    return Evidence(
        pd.DataFrame(sent, columns=SENT).sort_values("number", ignore_index=True),
        pd.DataFrame(passed, columns=PASSED),
        journal,
        bool(ended["drained"]),
    )


def _lines(file: Path) -> Iterator[str]:
    with file.open(encoding="ascii") as lines:
        yield from (line.rstrip("\n") for line in lines if line.endswith("\n"))


def _sent(line: str, began_ns: int) -> tuple[int, float, float, float]:
    number, due, sent, acknowledged = line.split(";")
    stored = (int(acknowledged) - began_ns) * 1e-9 if acknowledged else float("nan")
    return int(number), (int(due) - began_ns) * 1e-9, (int(sent) - began_ns) * 1e-9, stored


def _passed(line: str, began_ns: int) -> Iterator[tuple[Any, ...]]:
    """Rows of an event that came out: number, due, gap, holds, functions, time of reading."""
    number, _, _, _, *functions, _ = line.split(";")
    end = _name(functions[-1].split(":")[0])
    for place, text in enumerate(functions):
        name, instance, incarnation, began, done = text.split(":")
        times = ((int(each) - began_ns) * 1e-9 for each in (began, done))
        last = place == len(functions) - 1
        yield int(number), end, _name(name), int(instance), int(incarnation), *times, last


def _name(function: str) -> str:
    """Name of a function in its application, without the prefix of the run."""
    return function.partition("-")[2]
