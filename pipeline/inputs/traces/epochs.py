"""Timestamps that are numbers: the one rule that finds their unit, for all forms of files.

Numbers below 1e11 are seconds, since 1970 or since any other start. Larger ones are milliseconds,
microseconds or nanoseconds since 1970 if they lie between the years 2001 and 2286 in exactly one of
these units. What else large numbers mean cannot be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from itertools import pairwise

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Parts of a second, by the name of a unit."""

NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}

SAY = "set --timestamps s, ms, us or ns"

SINCE_1970 = 1e9
"""Numbers of seconds from here on count from 1970: those are times after September 2001."""

LARGEST_SECONDS = 1e11
_DAY_S = 86_400
_SHEET_DAYS = (36_526, 73_050)
"""Days since 1900 of the years 2000 to 2099, as spreadsheets count them."""


class UnitError(ValueError):
    """The unit of numbers cannot be known; says what to do."""


def unit_of(times: Sequence[Decimal | float | int], timestamps: str | None = None) -> str:
    """The unit of timestamps that are numbers, one of `UNITS`.

    times: Distinct times of one column, ascending; at least one.
    timestamps: What the user says; None to recognise it.
    Raises UnitError if it cannot be known.

    >>> unit_of([0, 60]), unit_of([1772438400000, 1772438460000]), unit_of([0], "ms")
    ('s', 'ms', 'ms')
    """
    if timestamps is not None:
        return timestamps
    least, most = float(times[0]), float(times[-1])
    if len(times) > 1 and _are_dates(times):
        raise UnitError(
            "are dates without marks such as 20260302080000; write ISO 8601 such as "
            f"2026-03-02T08:00:00Z, or {SAY}"
        )
    if max(abs(least), abs(most)) < LARGEST_SECONDS:
        _check_seconds(times, least, most)
        return "s"
    for unit, parts in UNITS.items():
        if SINCE_1970 * parts <= least and most < 10 * SINCE_1970 * parts:
            return unit
    raise UnitError(f"are no times after 2001 in s, ms, us or ns since 1970; {SAY}")


def note(unit: str, timestamps: str | None) -> str:
    """What a reader guessed about the unit of timestamps; empty if it did not guess."""
    if unit == "s" or timestamps is not None:
        return ""
    return f"Timestamps are {NAMES[unit]} since 1970, by their size; --timestamps sets the unit."


def _check_seconds(times: Sequence[Decimal | float | int], least: float, most: float) -> None:
    """Refuse numbers that are probably not seconds though they are small enough."""
    steps = sorted(later - earlier for earlier, later in pairwise(times))  # type: ignore[operator]
    if not steps or most >= SINCE_1970:
        return
    usual = float(steps[(len(steps) - 1) // 2])
    if _SHEET_DAYS[0] <= least and most <= _SHEET_DAYS[1] and usual * _DAY_S < _DAY_S / 20:
        seconds = usual * _DAY_S
        if seconds >= 0.9 and abs(seconds - round(seconds)) < 0.05:
            raise UnitError(
                "look like days of a spreadsheet; write ISO 8601 such as 2026-03-02T08:00:00Z, or "
                f"{SAY}"
            )
    if usual >= 1000 and usual % 3600 and all(step % 1000 == 0 for step in steps):
        raise UnitError(f"can be seconds or milliseconds, with steps of {usual:,.15g}; {SAY}")


_DATES = {8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def _are_dates(times: Sequence[Decimal | float | int]) -> bool:
    """Whether all numbers are dates of 2000 to 2099 written without marks."""
    first = _date(times[0])
    if first is None or _date(times[-1]) is None:
        return False
    # One digit in ten or fewer survives the limits of months, days, hours and minutes.
    return all(_date(time) is not None for time in times[:1000])


def _date(number: Decimal | float | int) -> datetime | None:
    if number != int(number):
        return None
    text = str(int(number))
    if len(text) not in _DATES or not text.startswith("20"):
        return None
    with suppress(ValueError):
        return datetime.strptime(text, _DATES[len(text)])
    return None
