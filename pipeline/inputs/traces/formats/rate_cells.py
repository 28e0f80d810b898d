"""Cells of a CSV file that hold a rate."""

from __future__ import annotations

import math
import re

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces.formats import cell_texts
from pipeline.inputs.traces.model import ABSENT, RATE

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)


def rate_of(where: str, cell: str) -> float:
    """Bytes/s, NaN for an empty cell. Raises InputError if negative, infinite or no number."""
    value = _number(cell) if cell.strip() else math.nan
    if cell.strip() and not value >= 0.0:
        raise InputError(f"{where}: {RATE} (got {shown(cell)}); {ABSENT}")
    return value


def amount_of(where: str, cell: str, what: str, can_be_empty: bool = False) -> float:
    """Total rate or offset in the file's unit; NaN where empty is allowed. Raises as `rate_of`."""
    value = _number(cell)
    if not value >= 0.0 and not (can_be_empty and not cell.strip()):
        got = shown(cell) if cell.strip() else "none"
        raise InputError(f"{where}: {what} must be a number, 0 or more (got {got})")
    return value


def _number(cell: str) -> float:
    """The finite number that a cell holds, else NaN."""
    text = cell_texts.cleaned(cell)
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else math.nan
