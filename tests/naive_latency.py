"""A slow and obvious reference for the latency model, written from the text alone.

Every sample is enumerated: one float per unit of data. Nothing is shared with `algorithms`.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.naive import Assignment, Row, Speeds, total_speed

Samples = NDArray[np.float64]


def queue(read: float, written: float, intercept: float, seconds: float) -> Samples:
    """Latency of every unit that arrives in one queue during one iteration.

    Unit i waits max(m i + b, 0) with m = 1/R - 1/W. Without any reading the first unit waits b
    and those behind it wait forever.
    """
    units = math.floor(seconds * written)
    if units == 0:
        return np.empty(0)
    if read == 0.0:
        return np.array([intercept] + [math.inf] * (units - 1))
    slope = 1.0 / read - 1.0 / written
    with np.errstate(over="ignore"):
        return np.maximum(slope * np.arange(units) + intercept, 0.0)


def enumerate_samples(
    rows: Sequence[Row],
    assignments: Sequence[Assignment],
    consumer_capacity: float,
    iteration_seconds: float = 30.0,
    rebalance_seconds: float = 5.0,
) -> Samples:
    """List the samples of all consumers and iterations.

    Parameters
    ----------
    rows : sequence of rows
        Speeds per iteration.
    assignments : sequence of list of int or None
        Consumer ids per iteration.
    consumer_capacity : float
        Speed at which a consumer reads, in the unit of the speeds.
    iteration_seconds, rebalance_seconds : float
        Length of an iteration and of a rebalance, s.

    Returns
    -------
    float64[number of samples]
        Latencies, s.
    """
    samples = [np.empty(0)]
    at_end: dict[int, float] = {}  # latency of the last sample of each fixed queue
    for k in range(1, len(rows)):
        before, at_end = at_end, {}
        speeds = {j: speed for j, speed in enumerate(rows[k]) if speed is not None}
        for consumer in sorted({c for c in assignments[k] if c is not None}):
            kept, moved = _split(speeds, assignments[k - 1], assignments[k], consumer)
            written = total_speed(kept, speeds)
            rebalanced = total_speed(moved, speeds)
            read = consumer_capacity if rebalanced == 0 else min(consumer_capacity, written)
            fixed = queue(read, written, before.get(consumer, 0.0), iteration_seconds)
            if len(fixed):
                at_end[consumer] = float(fixed[-1])
            samples.append(fixed)
            left = consumer_capacity - read
            samples.append(queue(left, rebalanced, rebalance_seconds, iteration_seconds))
    return np.concatenate(samples)


def _split(
    speeds: Speeds, before: Assignment, now: Assignment, consumer: int
) -> tuple[list[int], list[int]]:
    """Partitions that a consumer held one iteration earlier too, and those new to it."""
    held = [j for j in speeds if now[j] == consumer]
    kept = [j for j in held if before[j] == consumer]
    return kept, [j for j in held if j not in kept]


def percentile(samples: Samples, percent: float) -> float:
    """Linear interpolation between order statistics, as NumPy has it.

    NumPy subtracts neighbours, which fails for infinite ones: then the result is the lower one
    if it is met exactly, and infinite otherwise.
    """
    if np.isfinite(samples).all():
        return float(np.percentile(samples, percent))
    ordered = np.sort(samples)
    place = (len(ordered) - 1) * (percent / 100.0)
    rank = math.floor(place)
    if place == rank:
        return float(ordered[rank])
    if math.isinf(ordered[rank + 1]):
        return math.inf
    return float(np.percentile(np.minimum(ordered, ordered[rank + 1]), percent))
