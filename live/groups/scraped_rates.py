"""Write rates as Prometheus computes them, from end offsets that an exporter showed at scrapes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_INSTANT_S = 1e-6


class _Sample(NamedTuple):
    time_s: float
    offset: float


class ScrapedRates:
    """Samples of the end offset of each partition, and a ScaledObject's query over them.

    The query is that of `pipeline.inputs.prometheus.write_rate`, without the exporters' names.

    window_s, hold_s, scrape_s: The window of a rate, the hold, and the time between scrapes,
        seconds.
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
        """Greatest total rate of the hold, records/s; None if there is none now.

        As ``max_over_time((Q)[hold:scrape]) > Q or Q``: steps of a subquery are multiples of its
        own on a clock that does not depend on the time of the query.
        """
        now = self.total(time_s)
        if now is None or self._hold_s <= self._scrape_s:
            return now
        first = math.floor((time_s - self._hold_s + _INSTANT_S) / self._scrape_s) + 1
        last = math.floor((time_s + _INSTANT_S) / self._scrape_s)
        before = (self.total(number * self._scrape_s) for number in range(first, last + 1))
        return max([now, *(rate for rate in before if rate is not None)])

    def total(self, time_s: float) -> float | None:
        """Total rate at a time.

        None unless each partition has a sample in the first and in the last scrape interval of the
        window, and no offset has fallen.
        """
        begin_s, grown = time_s - self._window_s, 0.0
        for series in self._series:
            inside = [each for each in series if begin_s < each.time_s <= time_s + _INSTANT_S]
            first = _last(inside, begin_s, begin_s + self._scrape_s + _INSTANT_S)
            last = _last(inside, time_s - self._scrape_s, time_s + _INSTANT_S)
            offsets = [each.offset for each in inside]
            if first is None or last is None or offsets != sorted(offsets):
                return None
            grown += last - first
        return grown / (self._window_s - self._scrape_s)


def _last(samples: Sequence[_Sample], after_s: float, until_s: float) -> float | None:
    """Offset of the last sample in a time, without its beginning."""
    inside = [each.offset for each in samples if after_s + _INSTANT_S < each.time_s <= until_s]
    return inside[-1] if inside else None
