"""Write rates as Prometheus computes them, from end offsets that an exporter showed at scrapes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_EXTRAPOLATED = 1.1
"""``rate`` continues a series to an end of its window that is nearer than so many intervals."""

_INSTANT_S = 1e-6


class _Sample(NamedTuple):
    time_s: float
    offset: float


class ScrapedRates:
    """Samples of the end offset of each partition, and the query of a Prometheus trigger.

    window_s, hold_s, scrape_s: The W of ``rate``, the hold, and the time between scrapes, seconds.
    """

    def __init__(self, partitions: int, window_s: float, hold_s: float, scrape_s: float) -> None:
        self._window_s, self._hold_s, self._scrape_s = window_s, hold_s, scrape_s
        self._series: list[deque[_Sample]] = [deque() for _ in range(partitions)]

    def scrape(self, time_s: float, ends: Mapping[int, float]) -> None:
        """Store what a scrape has found. time_s: Not before the last one."""
        oldest_s = time_s - self._hold_s - self._window_s - self._scrape_s
        for partition, end in ends.items():
            series = self._series[partition]
            series.append(_Sample(time_s, end))
            while series[0].time_s < oldest_s:
                series.popleft()

    def greatest(self, time_s: float) -> float | None:
        """Greatest total rate within the hold, records/s; None if there is none.

        As ``max_over_time((Q)[hold:scrape])``, whose steps are multiples of the scrape interval.
        """
        found = (self.total(at_s) for at_s in self._steps(time_s))
        return max((rate for rate in found if rate is not None), default=None)

    def _steps(self, time_s: float) -> Iterator[float]:
        if self._hold_s == 0.0:
            yield time_s
            return
        first = math.floor((time_s - self._hold_s + _INSTANT_S) / self._scrape_s) + 1
        last = math.floor((time_s + _INSTANT_S) / self._scrape_s)
        for number in range(first, last + 1):
            yield number * self._scrape_s

    def total(self, time_s: float) -> float | None:
        """Total rate at a time; None unless all partitions have one, and none was reset."""
        total = 0.0
        for series in self._series:
            inside = [s for s in series if time_s - self._window_s < s.time_s <= time_s]
            offsets = [sample.offset for sample in inside]
            if len(inside) < 2 or offsets != sorted(offsets):
                return None
            total += _rate(inside, time_s - self._window_s, time_s)
        return total


def _rate(samples: Sequence[_Sample], begin_s: float, end_s: float) -> float:
    """Prometheus' ``rate`` of a counter without resets over a window, per second."""
    first, last = samples[0], samples[-1]
    covered_s, grown = last.time_s - first.time_s, last.offset - first.offset
    interval_s = covered_s / (len(samples) - 1)
    before_s, after_s = first.time_s - begin_s, end_s - last.time_s
    if before_s >= _EXTRAPOLATED * interval_s:
        before_s = interval_s / 2.0
    if grown > 0:
        # A counter was not below zero.
        before_s = min(before_s, covered_s * first.offset / grown)
    if after_s >= _EXTRAPOLATED * interval_s:
        after_s = interval_s / 2.0
    return grown * (covered_s + before_s + after_s) / covered_s / (end_s - begin_s)
