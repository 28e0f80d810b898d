"""Rates of counters and gauges, written down plainly and slowly: what `sampled_series` is held to.

Times are integers. Every second of the recording has a rate of its own, or none.
"""

from __future__ import annotations

from collections.abc import Sequence

Samples = Sequence[tuple[int, float]]


def increase(before: float, after: float) -> float:
    """What a counter counted between two samples, as Prometheus' ``increase()`` takes it."""
    if after >= before:
        return after - before
    return after


def rate_by_second(
    samples: Samples, are_counters: bool, longest_gap: float, step: int
) -> dict[int, float]:
    """The rate in each second, keyed by the second's begin; unknown seconds have no key."""
    rates: dict[int, float] = {}
    for place, (time, value) in enumerate(samples):
        is_last = place + 1 == len(samples)
        following = time + step if is_last else samples[place + 1][0]
        is_gap = not is_last and following - time > longest_gap
        if are_counters:
            if is_last or is_gap:
                continue
            rate = increase(value, samples[place + 1][1]) / (following - time)
        else:
            rate = value
            if is_gap:
                following = time + step
        for second in range(time, following):
            rates[second] = rate
    return rates
