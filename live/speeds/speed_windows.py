"""Speeds of partitions over a sliding window: newest size minus oldest, by the time between."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple


class LogSize(NamedTuple):
    """Size of a partition's log at one moment."""

    at_s: float
    """When, in seconds of a monotonic clock."""
    leader: int
    """Node that has the log."""
    size: int
    """Bytes."""


class Speed(NamedTuple):
    """Mean speed of a partition."""

    rate: float
    """Log bytes per second; never negative."""
    span_s: float
    """Time that it is a mean of, seconds."""


class SpeedWindows:
    """A window of sizes for each partition.

    A log that shrank, or is another node's, begins a new window for its partition alone: retention
    deletes old records, and replicas differ in size.

    window_s: Maximum time between the oldest and the newest size, seconds.
    least_s: Minimum time, below which a partition has no speed yet.
    Raises ValueError unless ``0 < least_s <= window_s``.
    """

    def __init__(self, window_s: float, least_s: float = 3.0) -> None:
        if not 0 < least_s <= window_s:
            raise ValueError(f"`least_s` must be in (0, {window_s:g}] (got {least_s:g})")
        self._window_s, self._least_s = window_s, least_s
        self._sizes: dict[int, deque[LogSize]] = {}

    def add(self, sizes: Mapping[int, LogSize]) -> dict[int, Speed]:
        """Take sizes, of all partitions or some; return the speeds of those that have one.

        Partitions without a size now have no speed now, and keep their window. A size that is not
        later than the one before it is ignored.
        """
        speeds = {}
        for partition, size in sizes.items():
            speed = self._add(self._sizes.setdefault(partition, deque()), size)
            if speed is not None:
                speeds[partition] = speed
        return speeds

    def _add(self, window: deque[LogSize], size: LogSize) -> Speed | None:
        if window and size.at_s <= window[-1].at_s:
            return None
        if window and (size.leader != window[-1].leader or size.size < window[-1].size):
            window.clear()
        window.append(size)
        while size.at_s - window[0].at_s > self._window_s:
            window.popleft()
        span = size.at_s - window[0].at_s
        if span < self._least_s:
            return None
        return Speed((size.size - window[0].size) / span, span)
