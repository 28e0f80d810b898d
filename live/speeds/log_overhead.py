"""By what factor logs are larger than the values in them: headers of batches and of records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from live.speeds.speed_windows import LogSize

LEAST_RECORDS = 100
"""Records below which the headers of a few batches say little."""

LIMITS = (1.0, 2.0)
"""Bounds of the factor. Records of 256 bytes in batches of their own are 1.3 times as large."""


class Count(NamedTuple):
    """Number of records in all logs at one moment."""

    at_s: float
    """When, in seconds of the clock of the sizes."""
    records: int
    """How many."""


class LogOverhead:
    """Compares the sizes of all logs with the number of records in them.

    Sizes and offsets cannot be read at the same moment. While records come in, a tenth of a second
    between them is a percent of the first ten seconds. So the number is interpolated.

    factor: Log bytes per byte of value; 1 until it is known. It becomes more exact with each
        record.
    """

    def __init__(self, record_bytes: int) -> None:
        self._record_bytes = record_bytes
        self._last: Count | None = None
        self.factor = 1.0

    def add(self, sizes: Iterable[LogSize], count: Count) -> None:
        """Take the sizes of all logs, and a count that was made after them.

        What does not fit together changes nothing: retention may delete records meanwhile.
        """
        last, self._last = self._last, count
        logs = list(sizes)
        if last is None or not logs:
            return
        at_s = sum(size.at_s for size in logs) / len(logs)
        if not last.at_s <= at_s <= count.at_s or last.at_s == count.at_s:
            return
        share = (at_s - last.at_s) / (count.at_s - last.at_s)
        records = last.records + share * (count.records - last.records)
        if records < LEAST_RECORDS:
            return
        least, greatest = LIMITS
        measured = sum(size.size for size in logs) / (records * self._record_bytes)
        if 0.9 * least < measured < greatest:
            self.factor = max(measured, least)
