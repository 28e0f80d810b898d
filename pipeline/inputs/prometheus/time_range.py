"""The time that is imported, and its pages: an answer of Prometheus has at most 11,000 points."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown

MOST_POINTS = 11_000
"""Points of a series in an answer of Prometheus."""

MOST_SAMPLES = 500_000
"""Samples of an answer, which take 100 MB of memory when parsed."""

_DAY = 86_400
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": _DAY, "w": 7 * _DAY}
_DURATION = re.compile(r"(?:[0-9]{1,9}[smhdw])+", re.ASCII)
_PART = re.compile(r"([0-9]+)([smhdw])", re.ASCII)


class TimeRange(NamedTuple):
    """Times from `start` to `end`, both included, s since 1970; all are multiples of `step`."""

    start: int
    end: int
    step: int

    @property
    def points(self) -> int:
        """Number of times."""
        return (self.end - self.start) // self.step + 1


def seconds(text: str) -> int | None:
    """Length of time of a text; None if it is none.

    >>> seconds("1d12h"), seconds("60s"), seconds("60")
    (129600, 60, None)
    """
    if _DURATION.fullmatch(text) is None:
        return None
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def asked(since: str, until: str | None, step: str, now: float) -> TimeRange:
    """The range of ``--since``, ``--until`` and ``--step``.

    Raises InputError if one is malformed, or times do not ascend.
    """
    step_s = seconds(step)
    if not step_s:
        raise InputError(f"--step must be a length of time, such as 60s (got {shown(step)})")
    end = now if until is None else _moment("--until", until, now)
    start = _moment("--since", since, end)
    if not start < end <= now + 1:
        raise InputError("--since must be before --until, and both in the past")
    first, last = math.ceil(start / step_s), math.floor(end / step_s)
    aligned = TimeRange(first * step_s, last * step_s, step_s)
    if not 2 <= aligned.points <= limits.MAX_ITERATIONS:
        raise InputError(
            f"--since and --step must give 2 to {limits.MAX_ITERATIONS:,} times (got "
            f"{aligned.points:,}); choose another step"
        )
    return aligned


def _moment(option: str, text: str, before: float) -> float:
    length = seconds(text)
    if length is not None:
        return before - length
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{option} must be a length of time, such as 2d or 36h, or a time, such as "
            f"2024-05-01T12:00:00Z (got {shown(text)})"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def pages(whole: TimeRange, series: int) -> Iterator[TimeRange]:
    """Parts of a range that one answer holds each, at most a day.

    Their limits do not depend on the range's own, so that an import that is repeated later finds
    the pages of the interrupted one.

    >>> [(page.start, page.end) for page in pages(TimeRange(80_000, 200_000, 1_000), 1)]
    [(80000, 85000), (86000, 171000), (172000, 200000)]
    """
    step = whole.step
    length = max(1, min(MOST_POINTS, _DAY // step, MOST_SAMPLES // max(series, 1))) * step
    start = whole.start
    while start <= whole.end:
        # The last multiple of the step before the next limit.
        end = ((start // length + 1) * length - 1) // step * step
        yield TimeRange(start, min(end, whole.end), step)
        start = end + step
