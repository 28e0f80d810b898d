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
