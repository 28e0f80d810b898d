"""Listings as JSON, for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.base.text.json_values import plain


def print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a JSON array with an object per line.

    Control characters are escaped. Times are in ISO 8601; a NaN is null, and an infinity is the
    text ``Infinity``, as in ``groupscale sql``.
    """
    lines = (json.dumps(plain(row), allow_nan=False) for row in rows)
    text = ",\n".join(lines)
    sys.stdout.write(f"[\n{text}\n]\n" if text else "[]\n")
