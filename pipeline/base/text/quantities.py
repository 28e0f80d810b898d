"""Amounts with units, such as 2MB, 1.5 MiB/s or 750k/s."""

from __future__ import annotations

import math
import re

_SCALES = {
    "": 1.0,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
# Not "b": it is a byte to some and a bit to others.
_UNIT = r"(?:B|bytes|msgs?|messages|events|records)?"
_AMOUNT = re.compile(rf"({_NUMBER}) ?([kKMGT]i?)? ?{_UNIT}(?:/s)?", re.ASCII)

FORMS = "a number with an optional unit, such as 2000000, 2MB, 1.5MiB/s or 750k/s"


def amount(text: str) -> float:
    """The number that a text stands for: k, M, G, T are powers of 1,000, Ki, Mi, Gi, Ti of 1,024.

    Raises ValueError if the text is not an amount, or too large for a number. Small ``b`` is not
        accepted, since it can mean bits.

    >>> amount("2MB"), amount("1.5 MiB/s"), amount("750k/s"), amount("1e6")
    (2000000.0, 1572864.0, 750000.0, 1000000.0)
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (match[2] or "") not in _SCALES:
        raise ValueError(f"must be {FORMS}")
    number = float(match[1]) * _SCALES[match[2] or ""]
    if not math.isfinite(number):
        raise ValueError(f"must be {FORMS}")
    return number
