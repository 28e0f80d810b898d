"""Lengths of time as text."""

from __future__ import annotations

SPACE = "\u00a0"
"""Between a number and its unit, which then stay in one line."""


def duration(seconds: float) -> str:
    """A running time.

    >>> [duration(s).replace(SPACE, " ") for s in (8.52, 90, 5_280)]
    ['8.5 s', '1 min 30 s', '1 h 28 min']
    """
    if round(seconds, 1) < 60:
        return f"{seconds:.1f}{SPACE}s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}{SPACE}min {whole % 60:02d}{SPACE}s"
    return f"{whole // 3600:,}{SPACE}h {whole % 3600 // 60:02d}{SPACE}min"
