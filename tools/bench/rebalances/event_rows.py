"""Rows of events, one small file per cell: a later run continues where an earlier one ended.

The files are shipped, so that another machine continues too, and the page can be written without
any measurement. Times are kept in whole milliseconds, and of the pauses of partitions the longest.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tools.bench.rebalances.broker_log import RoundTimes
from tools.bench.rebalances.cells import CRASH, CYCLE, EVENTS, Cell
from tools.bench.rebalances.event_times import EventTimes

_TEXTS: Final = ("event", "client")
_COUNTS: Final = ("receivers", "moved", "rounds")
_NUMBERS: Final = (
    *("load", "control_s", "settled_s", "first_s", "last_s", "moved_s", "kept_s"),
    *("begun_s", "detected_s"),
)
COLUMNS: Final = (*_TEXTS, *_NUMBERS, *_COUNTS)
"""Columns of a file; a value that an event does not have is empty."""

SHIPPED: Final = "tools/bench/rebalances/measured"
"""Folder of the shipped rows, from that of the sources on."""

Row = Mapping[str, Any]


def event_row(
    event: str,
    client: str,
    load: float,
    times: EventTimes | None = None,
    rounds: RoundTimes | None = None,
) -> dict[str, Any]:
    """The row of an event; one that could not be measured has no times.

    client: Version of confluent-kafka.
    load: Of the machine, per minute.
    """
    result: dict[str, Any] = dict.fromkeys(COLUMNS)
    result |= {"event": event, "client": client, "load": load}
    if times is not None:
        result |= times._asdict() | {
            "moved": len(times.moved),
            "moved_s": max(times.moved.values(), default=None),
            "kept_s": max(times.kept.values(), default=None),
        }
        del result["kept"]
    return result | (rounds._asdict() if rounds is not None else {})


def file_of(folder: Path, cell: Cell) -> Path:
    """File of a cell."""
    return folder / f"{cell.name}.csv"


def rows(folder: Path, cell: Cell) -> list[dict[str, Any]]:
    """All rows of a cell so far; a last line that was cut off is left out."""
    file = file_of(folder, cell)
    if not file.exists():
        return []
    return [_read(each) for each in csv.DictReader(_whole(file.read_text(encoding="utf-8")))]


def _whole(text: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _read(texts: Mapping[str, str]) -> dict[str, Any]:
    kinds: dict[str, Callable[[str], object]] = dict.fromkeys(COLUMNS, str)
    kinds |= dict.fromkeys(_NUMBERS, float) | dict.fromkeys(_COUNTS, int)
    return {name: kinds[name](text) if (text := texts[name]) else None for name in COLUMNS}


def add(folder: Path, cell: Cell, row: Row) -> None:
    """Append a row, in place of a last line that was cut off."""
    folder.mkdir(parents=True, exist_ok=True)
    file = file_of(folder, cell)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = "".join(_whole(text)) or f"{','.join(COLUMNS)}\n"
    if kept != text:
        file.write_text(kept, encoding="utf-8")
    values = (_written(row[name]) for name in COLUMNS)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{','.join(values)}\n")


def _written(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def is_timed(row: Row) -> bool:
    """Whether an event was measured."""
    return row["settled_s"] is not None


def calm(cell: Cell, rows: Iterable[Row]) -> list[Row]:
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
