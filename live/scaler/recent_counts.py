"""Counts of the last hour, which a file keeps for a scaler that starts again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from algorithms.autoscaling.blind_answers import HOUR_S
from pipeline.base.process import replaced_file

_MOST_BYTES = 2**24
_VERSION = 1


class RecentCounts:
    """Counts with the time until which each of them was in force, seconds of any clock."""

    def __init__(self, rows: list[tuple[float, int]] | None = None) -> None:
        self._rows = rows or []

    def add(self, now_s: float, count: int) -> None:
        """A count that is decided now."""
        if self._rows and self._rows[-1][1] == count:
            self._rows.pop()
        self._rows.append((now_s, count))
        self._rows = [row for row in self._rows if row[0] >= now_s - HOUR_S]

    @property
    def rows(self) -> list[tuple[float, int]]:
        """Rows of time and count, the newest last."""
        return list(self._rows)

    @property
    def last(self) -> int | None:
        """The newest count."""
        return self._rows[-1][1] if self._rows else None

    @property
    def greatest(self) -> int:
        """The greatest count of the hour before the newest one; 0 without any."""
        return max((count for _, count in self._rows), default=0)


def save(file: Path, counts: Mapping[str, tuple[str, RecentCounts]], wall_minus_s: float) -> None:
    """Replace the file at once.

    counts: By name: digest of the group's settings, and its counts.
    wall_minus_s: Wall clock minus the counts' clock.
    """
    content = {
        name: {"of": digest, "counts": [[at_s + wall_minus_s, n] for at_s, n in recent.rows]}
        for name, (digest, recent) in counts.items()
    }
    replaced_file.write_json(file, {"version": _VERSION, "groups": content})


def load(
    file: Path, digests: Mapping[str, str], now_s: float, wall_s: float
) -> dict[str, RecentCounts]:
    """Counts of the last hour by name, of those groups whose settings are the same.

    now_s, wall_s: The counts' clock and the wall clock, at the same moment. A time in the future,
        as after a jump of the wall clock, is now.
    Raises ValueError, OSError if the file is not what `save` writes.
    """
    if file.stat().st_size > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES:,} bytes")
    groups = _field(json.loads(file.read_text(encoding="utf-8")), "groups")
    loaded = {}
    for name, digest in digests.items():
        entry = groups.get(name)
        if not isinstance(entry, dict) or entry.get("of") != digest:
            continue
        rows = [_row(row, now_s, wall_s) for row in entry.get("counts", ())]
        loaded[name] = RecentCounts([row for row in rows if row[0] >= now_s - HOUR_S])
    return loaded


def _field(content: object, key: str) -> dict[str, object]:
    value = content.get(key) if isinstance(content, dict) else None
    if not isinstance(value, dict):
        raise ValueError(f"no {key}")
    return value


def _row(row: object, now_s: float, wall_s: float) -> tuple[float, int]:
    if not (isinstance(row, list) and len(row) == 2):
        raise ValueError("a count without its time")
    at_s, count = row
    is_time = isinstance(at_s, int | float) and math.isfinite(at_s)
    if not (is_time and type(count) is int and 0 <= count < 2**31):
        raise ValueError("a count that is none")
    return now_s - max(wall_s - at_s, 0.0), count
