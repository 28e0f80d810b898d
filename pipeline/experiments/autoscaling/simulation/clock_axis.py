"""A time axis with the clock on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta

LABEL = "time, UTC"

_DAY_S = 86_400.0
_STEPS_S = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0),
    *(3_600.0, 7_200.0, 10_800.0, 21_600.0, 43_200.0, _DAY_S, 2 * _DAY_S, 7 * _DAY_S),
)


def ticks(started_at: datetime, end_s: float, most: int = 10) -> list[float]:
    """Seconds since the start at which the clock shows a round time.

    started_at: Start of the axis, UTC.

    >>> from datetime import UTC
    >>> ticks(datetime(2026, 3, 2, 8, 50, tzinfo=UTC), 7_200.0, 3)
    [600.0, 4200.0]
    """
    step_s = next((s for s in _STEPS_S if end_s <= s * most), _DAY_S * _days(end_s, most))
    first = -started_at.timestamp() % step_s
    count = max(0, math.floor((end_s - first) / step_s + 1e-9) + 1)
    return [first + k * step_s for k in range(count)]


def _days(end_s: float, most: int) -> int:
    return math.ceil(end_s / _DAY_S / most)


def writer(started_at: datetime, end_s: float) -> Callable[[float], str]:
    """Function that writes seconds since the start as a clock does: a date, or hours and minutes.

    Seconds are left out of axes of ten minutes and more.
    """
    by_day = end_s > 10 * 43_200.0
    pattern = "%m-%d" if by_day else "%H:%M" if end_s >= 600.0 else "%H:%M:%S"

    def text(seconds: float) -> str:
        moment = started_at + timedelta(seconds=seconds)
        at_midnight = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
        return f"{moment:%m-%d}" if at_midnight else f"{moment:{pattern}}"

    return text
