"""Rates in the unit that fits."""

from __future__ import annotations

import math

from pipeline.reporting.sections.numbers import SPACE, plain

_UNITS = ("B/s", "kB/s", "MB/s", "GB/s")


def byte_rate(rate: float) -> str:
    """Bytes per second, in powers of 1000.

    >>> byte_rate(4_200_000.0).replace("\u00a0", " "), byte_rate(999.0).replace("\u00a0", " ")
    ('4.20 MB/s', '999 B/s')
    """
    power = 0
    # What rounds to 1,000 is 1 of the next unit.
    while abs(rate) >= 999.5 and power < len(_UNITS) - 1:
        rate /= 1000
        power += 1
    return f"{plain(rate)}{SPACE}{_UNITS[power]}"


def rounded_up(rate: float) -> float:
    """The next number of two digits."""
    unit = 10.0 ** (math.floor(math.log10(rate)) - 1)
    return math.ceil(rate / unit * (1 - 1e-12)) * unit
