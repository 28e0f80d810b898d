"""Cells of a CSV file that hold a rate."""

from __future__ import annotations

import math
import re

from pipeline.errors import InputError
from pipeline.text.quoting import shown
from pipeline.traces.model import ABSENT, RATE

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)


def rate_of(where: str, cell: str) -> float:
    """A rate in bytes/s, NaN for an empty cell.

    Raises
    ------
    InputError
        If it is not a number, negative or not finite.
    """
    text = cell.strip()
    if not text:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise InputError(f"{where}: {RATE} (got {shown(cell)}); {ABSENT}")
    return value
