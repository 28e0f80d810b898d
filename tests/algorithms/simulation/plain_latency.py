"""Latencies read off curves of arrivals and departures, in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

Piece = tuple[Fraction, Fraction, Fraction, Fraction]
"""Levels and times at both ends of a part in which a curve grows."""

Segment = tuple[Fraction, Fraction, Fraction]
"""Mass, and the latencies at its start and end."""


@dataclass
class Curve:
    """Events up to a time, as straight pieces."""

    level: Fraction = Fraction(0)
    pieces: list[Piece] = field(default_factory=list)

    def run(self, start: Fraction, end: Fraction, events: Fraction) -> None:
        """Grow evenly from one time to another."""
        if events > 0:
            self.pieces.append((self.level, self.level + events, start, end))
            self.level += events

    def jump(self, at: Fraction, events: Fraction) -> None:
        """Grow at once."""
        self.run(at, at, events)

    def at(self, time: Fraction) -> Fraction:
        """Events up to a time, jumps at this time included."""
        total = Fraction(0)
        for low, high, start, end in self.pieces:
            if end <= time:
                total = high
            elif start < time:
                total = low + (high - low) * (time - start) / (end - start)
        return total


def segments(arrivals: Curve, departures: Curve) -> list[Segment]:
    """Latencies of the events that departed, in the order in which they arrived."""
    result = []
    i = j = 0
    level = Fraction(0)
    while j < len(departures.pieces):
        a, d = arrivals.pieces[i], departures.pieces[j]
        upper = min(a[1], d[1])
        if upper > level:
            start, end = (inverse(d, x) - inverse(a, x) for x in (level, upper))
            assert start >= 0
            assert end >= 0
            result.append((upper - level, start, end))
        level = upper
        i += a[1] == upper
        j += d[1] == upper
    return result


def inverse(piece: Piece, level: Fraction) -> Fraction:
    """Time at which a piece reaches a level."""
    low, high, start, end = piece
    return start + (end - start) * (level - low) / (high - low)


def share(parts: list[Segment], latency: Fraction) -> Fraction:
    """Mass with at most this latency."""
    total = Fraction(0)
    for mass, first, last in parts:
        low, high = min(first, last), max(first, last)
        if high <= latency:
            total += mass
        elif low < latency:
            total += mass * (latency - low) / (high - low)
    return total


def percentile(parts: list[Segment], left: Fraction, q: Fraction) -> Fraction | None:
    """Least latency that a share q of the events does not exceed; None if it is infinite."""
    target = q * (sum((mass for mass, _, _ in parts), Fraction(0)) + left)
    ends = sorted({end for _, first, last in parts for end in (first, last)})
    if share(parts, ends[-1]) < target:
        return None
    low, high = -1, len(ends) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if share(parts, ends[middle]) >= target:
            high = middle
        else:
            low = middle
    if low < 0:
        return ends[high]
    # Between two neighbouring ends the share grows evenly; at the upper one it may jump.
    a, b = ends[low], ends[high]
    below = share(parts, a)
    inside = sum(
        (
            mass * (b - a) / (max(first, last) - min(first, last))
            for mass, first, last in parts
            if min(first, last) <= a and max(first, last) >= b
        ),
        Fraction(0),
    )
    if below + inside < target:
        return b
    return a + (b - a) * (target - below) / inside


def longest(
    arrivals: Sequence[Curve], departures: Sequence[Curve], step_s: Fraction
) -> list[Fraction]:
    """Longest wait of the events that depart in each step; the last steps may be missing."""
    waits: dict[int, Fraction] = {}
    for came, went in zip(arrivals, departures, strict=True):
        for step, wait in _waits(came, went, step_s):
            waits[step] = max(waits.get(step, Fraction(0)), wait)
    return [waits.get(step, Fraction(0)) for step in range(max(waits, default=-1) + 1)]


def _waits(came: Curve, went: Curve, step_s: Fraction) -> Iterator[tuple[int, Fraction]]:
    for piece in went.pieces:
        step = floor(piece[2] / step_s)
        for other in came.pieces:
            low, high = max(piece[0], other[0]), min(piece[1], other[1])
            if low < high:
                for level in (low, high):
                    yield step, inverse(piece, level) - inverse(other, level)
