"""Rows of events, one file per cell: a later run continues where an earlier one ended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tools.bench.rebalances.cells import CRASH, CYCLE, EVENTS, Cell


def file_of(folder: Path, cell: Cell) -> Path:
    """File of a cell."""
    return folder / f"{cell.name}.jsonl"


def rows(folder: Path, cell: Cell) -> list[dict[str, Any]]:
    """All rows of a cell so far; a last line that was cut off is left out."""
    file = file_of(folder, cell)
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def add(folder: Path, cell: Cell, row: Mapping[str, Any]) -> None:
    """Append a row."""
    folder.mkdir(parents=True, exist_ok=True)
    with file_of(folder, cell).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def is_timed(row: Mapping[str, Any]) -> bool:
    """Whether an event was measured."""
    return "settled_s" in row


def calm(cell: Cell, rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Events that count: each partition was read in time in the second before."""
    return [row for row in rows if is_timed(row) and 0.0 < row["control_s"] <= cell.calm_s]


def left(folder: Path, cell: Cell, repeats: int) -> tuple[str, ...]:
    """Events of a cycle that still lack repeats that count; empty if none does."""
    counts = Counter(row["event"] for row in calm(cell, rows(folder, cell)))
    lacking = {event for event in EVENTS if counts[event] < repeats}
    if not lacking:
        return ()
    if CRASH not in lacking:
        return CYCLE[:2]
    return CYCLE if lacking - {CRASH} else CYCLE[2:]
