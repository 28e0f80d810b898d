"""Plain time lags: every event has its time, and ages are those of the first unread ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


class Topic:
    """All events of some partitions, one by one."""

    def __init__(self, partitions: int) -> None:
        self.now = Fraction(0)
        self.written: list[list[Fraction]] = [[] for _ in range(partitions)]
        self.read = [0] * partitions

    def passes(self, seconds: int, events: Sequence[int]) -> None:
        """Some seconds, in which so many events of each partition are written, evenly."""
        for times, count in zip(self.written, events, strict=True):
            times += [self.now + Fraction(seconds * i, count) for i in range(count)]
        self.now += seconds

    def reads(self, events: Sequence[int]) -> None:
        """Events of each partition are read, in order, as far as there are any."""
        for p, count in enumerate(events):
            self.read[p] = min(self.read[p] + count, len(self.written[p]))

    def lags(self) -> list[int]:
        """Unread events of each partition."""
        return [len(times) - read for times, read in zip(self.written, self.read, strict=True)]

    def ages(self) -> list[Fraction]:
        """Age of the oldest unread event of each partition, 0 without one."""
        return [
            self.now - times[read] if read < len(times) else Fraction(0)
            for times, read in zip(self.written, self.read, strict=True)
        ]


class Looks:
    """What has been written at some times; between them, it is written evenly."""

    LEAST = Fraction(1, 1_000)
    """Fewer events are none."""

    def __init__(self, time: Fraction, written: Sequence[Fraction]) -> None:
        self.points = [(time, list(written))]

    def look(self, time: Fraction, written: Sequence[Fraction]) -> None:
        """All that has been written so far, whatever happened since the look before."""
        self.points.append((time, list(written)))

    def age(self, lags: Sequence[Fraction]) -> Fraction:
        """Greatest age of the first unread event of a partition, 0 without one."""
        return max(self._age(p, lag) for p, lag in enumerate(lags))

    def _age(self, p: int, lag: Fraction) -> Fraction:
        if lag <= self.LEAST:
            return Fraction(0)
        (now, end), read = (self.points[-1][0], self.points[-1][1][p]), self.points[-1][1][p] - lag
        (began, first) = self.points[0][0], self.points[0][1][p]
        if read < first:
            return lag * (now - began) / (end - first) if end > first else now - began
        for (since, low), (until, high) in zip(self.points, self.points[1:], strict=False):
            if high[p] > read + self.LEAST:
                share = max(read - low[p], Fraction(0)) / (high[p] - low[p])
                return now - since - share * (until - since)
        raise AssertionError("more was read than was written")
