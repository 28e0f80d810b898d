"""Plain Prometheus on exact numbers: scrapes of end offsets, `rate`, a subquery, and a formula."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction

from tests.algorithms.assignment import naive_assignors

OLD = 10**12
"""End offset of each partition at time 0: far from the beginning of the topic."""


class Prometheus:
    """All that a server has scraped of one topic, and the query over it."""

    def __init__(self, hold: float, window_s: float, scrape_s: float, scrape_phase: float) -> None:
        self.hold, self.window_s = Fraction(hold), Fraction(window_s)
        self.scrape_s = Fraction(scrape_s)
        self.first = Fraction(scrape_phase) * self.scrape_s
        self.times = [Fraction(0)]
        self.offsets: list[list[Fraction]] = []
        self.rates: list[list[Fraction]] = []

    def passes(self, time: float, rates: Sequence[float]) -> None:
        """Events arrive at constant rates until a time."""
        exact = [Fraction(rate) for rate in rates]
        if not self.offsets:
            self.offsets.append([Fraction(OLD)] * len(exact))
            self.rates.append(exact)  # as if it had been so for ever
        passed = Fraction(time) - self.times[-1]
        last = self.offsets[-1]
        self.offsets.append(
            [value + rate * passed for value, rate in zip(last, exact, strict=True)]
        )
        self.times.append(Fraction(time))
        self.rates.append(exact)

    def offset(self, partition: int, time: Fraction) -> Fraction:
        """End offset at a time that has passed."""
        i = max(bisect_right(self.times, time) - 1, 0)
        i = min(i, len(self.times) - 2)
        rate = self.rates[0] if time < 0 else self.rates[i + 1]
        return self.offsets[i][partition] + rate[partition] * (time - self.times[i])

    def samples(
        self, partition: int, start: Fraction, end: Fraction
    ) -> list[tuple[Fraction, Fraction]]:
        """Time and value of each scrape after a start, up to an end."""
        number = math.floor((start - self.first) / self.scrape_s) + 1
        found = []
        while (at := self.first + number * self.scrape_s) <= end:
            found.append((at, self.offset(partition, at)))
            number += 1
        return found

    def rate(self, partition: int, time: Fraction) -> Fraction:
        """``rate(M[window_s])`` of one series: what is seen, extrapolated to the window's ends."""
        start = time - self.window_s
        samples = self.samples(partition, start, time)
        (first_at, first), (last_at, last) = samples[0], samples[-1]
        sampled_s = last_at - first_at
        each_s = sampled_s / (len(samples) - 1)
        to_start, to_end = first_at - start, time - last_at
        if to_start >= each_s * Fraction(11, 10):
            to_start = each_s / 2
        if last > first:
            to_start = min(to_start, sampled_s * first / (last - first))
        if to_end >= each_s * Fraction(11, 10):
            to_end = each_s / 2
        return (last - first) * (sampled_s + to_start + to_end) / sampled_s / self.window_s

    def total(self, time: Fraction) -> Fraction:
        """The query's Q."""
        return sum((self.rate(p, time) for p in range(len(self.rates[0]))), Fraction(0))

    def query(self) -> Fraction:
        """The greater of ``max_over_time((Q)[hold:scrape_s])`` and Q now, or Q alone."""
        now = self.times[-1]
        answers = [self.total(now)]
        if self.hold <= self.scrape_s:
            return answers[0]
        number = math.floor(now / self.scrape_s)
        while number * self.scrape_s > now - self.hold:
            answers.append(self.total(number * self.scrape_s))
            number -= 1
        return max(answers)


def count(
    rate: Fraction, shares: Sequence[float], assignor: str, capacity: float, h: float, most: int
) -> int:
    """Least number of members of which none has more than the capacity at `h` times a rate."""
    weights = [Fraction(share) for share in shares]
    place = {"range": naive_assignors.by_block, "roundrobin": naive_assignors.by_turn}[assignor]
    for n in range(1, most):
        owners = place(len(weights), range(n), [-1] * len(weights), [0.0] * len(weights))
        loads = [Fraction(0)] * n
        for weight, owner in zip(weights, owners, strict=True):
            loads[owner] += weight
        if Fraction(h) * rate * max(loads) / sum(weights) <= Fraction(capacity):
            return n
    return most
