"""Watches a topic: rates over a window as the monitor measures them, offsets and lags."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from live.speeds.speed_windows import LogSize, SpeedWindows
from live.user_cluster.topic_view import TopicView

SAMPLE_S = 1.0
"""Time between two looks at the logs, seconds."""

WINDOW_S, LEAST_S = 30.0, 3.0
"""Rates are means over at most and at least so many seconds."""


class Sizes(Protocol):
    """Where sizes of logs come from."""

    def read(self, seconds: float) -> dict[int, LogSize]:
        """Sizes by partition; those that are known in time."""


class Offsets(Protocol):
    """Where offsets come from."""

    def ends(self, partitions: range, seconds: float) -> dict[int, int]:
        """Offset of the next record by partition, of those that are known in time."""

    def committed(self, partitions: range, seconds: float) -> dict[int, int]:
        """Committed offset by partition, of those that have one."""


class TopicWatch:
    """Looks at logs each second, at offsets for each view; notices new partitions."""

    def __init__(self, sizes: Sizes, offsets: Offsets, partitions: int) -> None:
        self._sizes, self._offsets = sizes, offsets
        self._partitions = partitions
        self._logs, self._events = (SpeedWindows(WINDOW_S, LEAST_S) for _ in range(2))
        self._began = time.monotonic()

    def views(self, period_s: float, show: Callable[[TopicView], object]) -> None:
        """Show a view each period, until an exception; before the first rates, none."""
        due = self._began
        while True:
            rates = self._look()
            if time.monotonic() >= due:
                show(self._view(rates))
                due = max(due + period_s, time.monotonic())
            time.sleep(SAMPLE_S)

    def first(self, seconds: float) -> TopicView | None:
        """A view with rates of all partitions, or of some when the time is over; else None."""
        until = self._began + seconds
        while True:
            # Offsets are looked at too: two looks give their rates.
            view = self._view(self._look())
            is_over = time.monotonic() > until
            if len(view.rates) == view.partitions or (is_over and view.rates):
                return view
            if is_over:
                return None
            time.sleep(SAMPLE_S)

    def _look(self) -> Mapping[int, float]:
        sizes = self._sizes.read(SAMPLE_S)
        self._partitions = max(self._partitions, max(sizes, default=-1) + 1)
        return {p: speed.rate for p, speed in self._logs.add(sizes).items()}

    def _view(self, rates: Mapping[int, float]) -> TopicView:
        every = range(self._partitions)
        before = time.monotonic()
        ends = self._offsets.ends(every, SAMPLE_S)
        at_s = (before + time.monotonic()) / 2
        # A window of numbers of records is one of sizes, on one node.
        events = self._events.add({p: LogSize(at_s, 0, end) for p, end in ends.items()})
        return TopicView(
            at_s - self._began,
            self._partitions,
            rates,
            {p: speed.rate for p, speed in events.items()},
            ends,
            self._offsets.committed(every, SAMPLE_S),
        )
