"""Listings as JSON, for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any


def print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a JSON array with an object per line.

    Control characters are escaped. Times are in ISO 8601; a NaN is null, and an infinity is the
    text ``Infinity``, as in ``groupscale sql``.
    """
    lines = (json.dumps(_plain(row), allow_nan=False) for row in rows)
    text = ",\n".join(lines)
    sys.stdout.write(f"[\n{text}\n]\n" if text else "[]\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value
